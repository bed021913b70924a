"""Tables on the terminal, in the shape that nova-manage prints."""

from collections.abc import Sequence


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], align: str = "^") -> None:
    """Prints rows in a frame, columns as wide as their widest cell; `align` is "^" (middle) or "<" (left)."""
    widths = [max(len(str(cell)) for cell in column) for column in zip(heads, *rows, strict=True)]
    frame = "+" + "+".join("-" * (width + 2) for width in widths) + "+"

    def line(cells: Sequence[str]) -> str:
        return "|" + "|".join(f" {cell!s:{align}{width}} " for cell, width in zip(cells, widths, strict=True)) + "|"

    print(frame, line(heads), frame, *map(line, rows), *([frame] if rows else []), sep="\n")
