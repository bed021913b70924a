"""INI files as the services read them."""

from collections.abc import Mapping

Sections = dict[str, dict[str, object]]


def render(sections: Mapping[str, Mapping[str, object]]) -> str:
    """The text of an INI file; a list gives one line for each of its items."""
    lines = []
    for section, options in sections.items():
        lines.append(f"[{section}]")
        for option, value in options.items():
            values = value if isinstance(value, list) else [value]
            lines += [f"{option} = {_text(item)}" for item in values]
        lines.append("")
    return "\n".join(lines)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
