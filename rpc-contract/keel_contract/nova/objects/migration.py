"""Migration and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since


@REGISTRY.register
class Migration(Persistent, NovaObject):
    """A move of a server between hosts."""

    VERSION = "1.8"
    fields = {
        "cross_cell_move": since("1.6", f.BooleanField(default=False)),
        "dest_compute": f.StringField(nullable=True),
        "dest_compute_id": since("1.8", f.IntegerField(nullable=True)),
        "dest_host": f.StringField(nullable=True),
        "dest_node": f.StringField(nullable=True),
        "disk_processed": since("1.4", f.IntegerField(nullable=True), leaves_with="memory_total"),
        "disk_remaining": since("1.4", f.IntegerField(nullable=True), leaves_with="memory_total"),
        "disk_total": since("1.4", f.IntegerField(nullable=True), leaves_with="memory_total"),
        "hidden": since("1.2", f.BooleanField(default=False), leaves_with="migration_type"),
        "id": f.IntegerField(),
        "instance_uuid": f.StringField(nullable=True),
        "memory_processed": since("1.4", f.IntegerField(nullable=True), leaves_with="memory_total"),
        "memory_remaining": since("1.4", f.IntegerField(nullable=True), leaves_with="memory_total"),
        "memory_total": since("1.4", f.IntegerField(nullable=True)),
        "migration_type": since("1.2", enums.MigrationTypeField()),
        "new_instance_type_id": f.IntegerField(nullable=True),
        "old_instance_type_id": f.IntegerField(nullable=True),
        "project_id": since("1.7", f.StringField(nullable=True)),
        "source_compute": f.StringField(nullable=True),
        "source_node": f.StringField(nullable=True),
        "status": f.StringField(nullable=True),
        "user_id": since("1.7", f.StringField(nullable=True)),
        "uuid": since("1.5", f.UUIDField()),
    }
    actions = signatures(
        "create()",
        "save()",
    )
    class_actions = signatures(
        "get_by_id(context, migration_id)",
        "get_by_id_and_instance(context, migration_id, instance_uuid)",
        "get_by_instance_and_status(context, instance_uuid, status)",
        "get_by_uuid(context, migration_uuid)",
    )


@REGISTRY.register
class MigrationList(NovaList):
    """A list of Migration."""

    VERSION = "1.5"
    fields = {
        "objects": f.ListOfObjectsField("Migration"),
    }
    class_actions = signatures(
        "get_by_filters(context, filters, sort_keys=None, sort_dirs=None, limit=None, marker=None)",
        "get_in_progress_and_error(context, host, node)",
        "get_in_progress_by_host_and_node(context, host, node)",
        "get_in_progress_by_instance(context, instance_uuid, migration_type=None)",
        "get_unconfirmed_by_dest_compute(context, confirm_window, dest_compute, use_slave=False)",
    )
