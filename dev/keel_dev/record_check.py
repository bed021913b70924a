"""`python -m keel_dev.record_check RELEASE`: record an installed real release again and compare with the goldens.

The release is installed into KEEL_HOME when it is not there: `releases/nova-33` and such from requirements/releases/,
the newest ones from requirements/reference.txt.
"""

import sys

from keel_contract import goldens
from keel_contract.recorder import main as recorder
from keel_dev import environments
from keel_dev.console import CloudError
from keel_dev.settings import REQUIREMENTS, Settings

NEWEST = {names[-1] for names in goldens.RELEASES.values()}  # these are in the environment `reference`


def main(arguments: list[str]) -> int:
    """0 when each release named is recorded byte for byte as its goldens are; 1 when one differs or is not known."""
    code = 0
    for release in arguments:
        try:
            code |= check(release)
        except CloudError as problem:
            print(problem, file=sys.stderr)
            code = 1
    return code


def check(release: str) -> int:
    """Install, record, compare. Raises CloudError when there is nothing to install, or the installer fails."""
    environment = "reference" if release in NEWEST else f"releases/{release}"
    if not (REQUIREMENTS / f"{environment}.txt").exists():
        known = ", ".join(name for names in goldens.RELEASES.values() for name in names)
        raise CloudError(f"{release} is not known here; recorded: {known}")
    settings = Settings.from_environment()
    environments.install(settings, environment)
    python = settings.environment_folder(environment) / "bin" / "python"
    suite = release.partition("-")[0]
    kinds: list[list[str]] = [[], ["--backports"], *([["--blobs"]] if suite == "nova" else [])]
    asked = ["--python", str(python), "--suite", suite, "--compare"]
    different = max(recorder.main([*asked, *kind]) for kind in kinds)
    if not different:
        print(f"{release}: recorded again, not a byte differs")
    return different


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
