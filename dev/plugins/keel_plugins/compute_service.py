"""Run nova-compute with a fake driver that survives a restart.

Nova loads compute drivers from its own package only, so this launcher puts
the driver of refcloud there under the name nova.virt.keel_guests and then runs
the unchanged nova-compute.
"""

import sys

from nova.cmd import compute

from keel_plugins import fake_guests


def main():
    sys.modules["nova.virt.keel_guests"] = fake_guests
    compute.main()


if __name__ == "__main__":
    main()
