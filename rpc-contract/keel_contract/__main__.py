"""The command line of the contract: ``keel-contract COMMAND`` or ``python -m keel_contract COMMAND``.

Each command is a row: its name, one sentence for the help, and the function that does it with the arguments after the
name and answers the exit code. Functions are named as text, so that a command loads only what it needs.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand: ``function`` is "module:name" of a ``(argv: list[str]) -> int``."""

    help: str
    function: str


COMMANDS: dict[str, Command] = {
    "check": Command("compare the declarations with everything recorded", "keel_contract.check.main:main"),
    "diff": Command("what changed between two recorded releases", "keel_contract.recorder.diff:main"),
    "record": Command("record what an installed real release speaks", "keel_contract.recorder.main:main"),
    "tap": Command("watch a live broker: who speaks which version of what to whom", "keel_contract.tap.command:main"),
}


def main(argv: list[str] | None = None) -> int:
    """Run the command that ``argv`` (None: of this process) names; 2 when there is no such command."""
    given = sys.argv[1:] if argv is None else argv
    if given and given[0] in COMMANDS:
        function: Callable[[list[str]], int] = pkgutil.resolve_name(COMMANDS[given[0]].function)
        return function(given[1:])
    asked = bool(given) and given[0] in ("-h", "--help")
    print(_usage(), file=sys.stdout if asked else sys.stderr)
    return 0 if asked else 2


def _usage() -> str:
    lines = ["usage: keel-contract COMMAND [-h] ...", ""]
    return "\n".join([*lines, *(f"  {name:<8} {command.help}" for name, command in sorted(COMMANDS.items()))])


if __name__ == "__main__":
    sys.exit(main())
