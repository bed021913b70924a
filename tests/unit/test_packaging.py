"""setup.cfg lists every package and every console script there is."""

import configparser
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def options(section):
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    return setup[section]


def lines(text):
    return [line.strip() for line in text.split("\n") if line.strip()]


def folders():
    return {
        name.strip(): ROOT / path.strip()
        for name, _, path in (line.partition("=") for line in lines(options("options")["package_dir"]))
    }


def packages_on_disk():
    found = set()
    for name, folder in folders().items():
        for init in folder.rglob("__init__.py"):
            inner = init.parent.relative_to(folder).parts
            found.add(".".join((name, *inner)))
    return found


def test_every_package_is_listed_and_every_listed_one_is_there():
    assert sorted(lines(options("options")["packages"])) == sorted(packages_on_disk())


@pytest.mark.parametrize("line", lines(options("options.entry_points")["console_scripts"]))
def test_a_console_script_has_a_function_behind_it(line):
    module, _, function = line.partition("=")[2].strip().partition(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_data_files_are_shipped():
    patterns = [pattern.strip() for pattern in options("options.package_data")["*"].split(",")]
    ending = {pattern.removeprefix("*") for pattern in patterns}
    code = {".py", ".pyc"}
    for folder in folders().values():
        for file in folder.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts and file.suffix not in code:
                assert file.suffix in ending or file.name == "py.typed", file
