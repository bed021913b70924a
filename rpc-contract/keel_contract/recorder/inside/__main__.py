"""``python -I .../inside SUITE``: record the installed release of SUITE (nova or cinder) as JSON on standard output."""

import importlib.util
import pathlib
import sys

NAME = "recorder_inside"


def load() -> None:
    """Make this folder a package, whatever the interpreter's path: its modules import each other relatively."""
    folder = pathlib.Path(__file__).parent
    spec = importlib.util.spec_from_file_location(
        NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is no package")
    sys.modules[NAME] = importlib.util.module_from_spec(spec)
    sys.path[:] = [path for path in sys.path if pathlib.Path(path or ".").resolve() != folder.resolve()]


if __name__ == "__main__":
    load()
    importlib.import_module(f"{NAME}.record").main(sys.argv[1:])
