"""What other services may ask of this backend (cinder 29.0.0 rpc_server, cinder-volume 3.20).

Every handler records the intent in the cluster and returns; the reconciler
finishes. A method that is declared but not built answers NotImplementedError.
"""

from __future__ import annotations

from keel_volume.endpoints.backups import Backups
from keel_volume.endpoints.connections import Connections
from keel_volume.endpoints.groups import Groups
from keel_volume.endpoints.images import Images
from keel_volume.endpoints.moves import Moves
from keel_volume.endpoints.snapshots import Snapshots
from keel_volume.endpoints.upkeep import Upkeep
from keel_volume.endpoints.volumes import Volumes


class VolumeEndpoint(Volumes, Snapshots, Backups, Connections, Groups, Images, Moves, Upkeep):
    """The methods of topic cinder-volume: a group of them in each module beside this one."""
