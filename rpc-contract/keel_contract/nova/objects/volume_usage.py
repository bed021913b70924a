"""VolumeUsage (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject, Persistent
from keel_contract.objects import signatures


@REGISTRY.register
class VolumeUsage(Persistent, NovaObject):
    """Reads and writes of a volume."""

    VERSION = "1.0"
    fields = {
        "availability_zone": f.StringField(nullable=True),
        "curr_last_refreshed": f.DateTimeField(nullable=True, read_only=True),
        "curr_read_bytes": f.IntegerField(),
        "curr_reads": f.IntegerField(),
        "curr_write_bytes": f.IntegerField(),
        "curr_writes": f.IntegerField(),
        "id": f.IntegerField(read_only=True),
        "instance_uuid": f.UUIDField(nullable=True),
        "project_id": f.StringField(nullable=True),
        "tot_last_refreshed": f.DateTimeField(nullable=True, read_only=True),
        "tot_read_bytes": f.IntegerField(read_only=True),
        "tot_reads": f.IntegerField(read_only=True),
        "tot_write_bytes": f.IntegerField(read_only=True),
        "tot_writes": f.IntegerField(read_only=True),
        "user_id": f.StringField(nullable=True),
        "volume_id": f.UUIDField(),
    }
    actions = signatures("save(update_totals=False)")
