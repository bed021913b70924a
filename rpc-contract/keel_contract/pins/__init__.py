"""What the peers of an interface understand, and why.

Nova pins by ``[upgrade_levels]``: nothing, a version, a release name, or "auto", which looks at the services' versions
(nova 34.0.0 rpc_client pin). Cinder always pins to the lowest version any service of the binary has written down
(cinder 29.0.0 pinning).
"""

from keel_contract.pins.kept import CinderPins, Kept, NovaPins
from keel_contract.pins.levels import compute_version, nova, refusal_of_old_computes, setting
from keel_contract.pins.pin import Holder, Lowest, Pin
from keel_contract.pins.written import cinder, cinder_manifest, everybody

__all__ = [
    "CinderPins",
    "Holder",
    "Kept",
    "Lowest",
    "NovaPins",
    "Pin",
    "cinder",
    "cinder_manifest",
    "compute_version",
    "everybody",
    "nova",
    "refusal_of_old_computes",
    "setting",
]
