"""BlockDeviceMapping and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since


@REGISTRY.register
class BlockDeviceMapping(Persistent, NovaObject):
    """One disk of a server: what it is made from and where it is attached."""

    VERSION = "1.21"
    backports_within = False
    fields = {
        "attachment_id": since("1.18", f.UUIDField(nullable=True)),
        "boot_index": f.IntegerField(nullable=True),
        "connection_info": f.SensitiveStringField(nullable=True),
        "delete_on_termination": f.BooleanField(default=False),
        "destination_type": enums.BlockDeviceDestinationTypeField(nullable=True),
        "device_name": f.StringField(nullable=True),
        "device_type": enums.BlockDeviceTypeField(nullable=True),
        "disk_bus": f.StringField(nullable=True),
        "encrypted": since("1.21", f.BooleanField(default=False)),
        "encryption_format": since("1.21", enums.BlockDeviceEncryptionFormatTypeField(nullable=True)),
        "encryption_options": since("1.21", f.StringField(nullable=True)),
        "encryption_secret_uuid": since("1.21", f.UUIDField(nullable=True)),
        "guest_format": f.StringField(nullable=True),
        "id": f.IntegerField(),
        "image_id": f.StringField(nullable=True),
        "instance": f.ObjectField("Instance", nullable=True),
        "instance_uuid": f.UUIDField(),
        "no_device": f.BooleanField(default=False),
        "snapshot_id": f.StringField(nullable=True),
        "source_type": enums.BlockDeviceSourceTypeField(nullable=True),
        "tag": since("1.17", f.StringField(nullable=True)),
        "uuid": since("1.19", f.UUIDField()),
        "volume_id": f.StringField(nullable=True),
        "volume_size": f.IntegerField(nullable=True),
        "volume_type": since("1.20", f.StringField(nullable=True)),
    }
    actions = signatures(
        "create()",
        "destroy()",
        "save()",
        "update_or_create()",
    )
    class_actions = signatures(
        "get_by_volume(context, volume_id, expected_attrs=None)",
        "get_by_volume_and_instance(context, volume_id, instance_uuid, expected_attrs=None)",
        "get_by_volume_id(context, volume_id, instance_uuid=None, expected_attrs=None)",
    )


@REGISTRY.register
class BlockDeviceMappingList(NovaList):
    """A list of BlockDeviceMapping."""

    VERSION = "1.18"
    fields = {
        "objects": f.ListOfObjectsField("BlockDeviceMapping"),
    }
    class_actions = signatures(
        "get_by_instance_uuid(context, instance_uuid, use_slave=False)",
        "get_by_instance_uuids(context, instance_uuids, use_slave=False)",
        "get_by_volume(context, volume_id, use_slave=False)",
    )
