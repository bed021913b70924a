"""Kubernetes quantities: "10Gi", "500m", "1e3" as numbers and back."""

from __future__ import annotations

import re
from decimal import Decimal

_FORM = re.compile(r"^([+-]?[0-9.]+)([eE][+-]?[0-9]+)?(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E)?$")
_FACTORS = {
    "": Decimal(1), "n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"), "k": Decimal(10**3),
    "M": Decimal(10**6), "G": Decimal(10**9), "T": Decimal(10**12), "P": Decimal(10**15), "E": Decimal(10**18),
    "Ki": Decimal(2**10), "Mi": Decimal(2**20), "Gi": Decimal(2**30), "Ti": Decimal(2**40), "Pi": Decimal(2**50),
    "Ei": Decimal(2**60),
}  # fmt: skip


def parse(text: str | int | float | None) -> Decimal:
    """The number a quantity stands for; None is 0. Raises ValueError."""
    if text is None:
        return Decimal(0)
    found = _FORM.match(str(text))
    if not found:
        raise ValueError(f"quantities must match the regular expression '{_FORM.pattern}'")
    return Decimal(found[1] + (found[2] or "")) * _FACTORS[found[3] or ""]


def size(text: str | int | None) -> int:
    """A quantity in whole bytes, rounded up."""
    number = parse(text)
    return int(number) + (number != int(number))


def binary(number: int) -> str:
    """Bytes in the largest binary unit that holds them exactly."""
    for unit in ("Ti", "Gi", "Mi", "Ki"):
        factor = int(_FACTORS[unit])
        if number and number % factor == 0:
            return f"{number // factor}{unit}"
    return str(number)
