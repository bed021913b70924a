"""Calls on what belongs to one server: devices, network, PCI, shares, tags, tokens, keys of an instance_extra row."""

# fmt: off - tables of calls and rows are read line by line

from conductor_objects import names, things
from conductor_objects.calls import act, ask, case, kept
from conductor_objects.things import held, made

BDM = "BlockDeviceMapping"
NOBODY = names.ABSENT


def _device(**changes: object) -> object:
    values = {
        "instance_uuid": names.ACTIVE,
        "source_type": "volume",
        "destination_type": "volume",
        "volume_id": names.uuid(0x70, 9),
        "volume_size": 3,
        "device_name": "/dev/vdd",
        "boot_index": None,
        "delete_on_termination": True,
        "no_device": False,
        "guest_format": None,
        "encrypted": False,
    }
    return made(BDM, **(values | changes))


DEVICES = [
    case("create a device", act(_device(), "create")),
    case("create a device twice", act(_device(), "create", keep="it"), act(kept("it"), "create")),
    case("create a device with its uuid", act(_device(uuid=names.uuid(0xBD, 77), tag="t"), "create")),
    case("create a device of a known uuid", act(_device(uuid=names.uuid(0xBD, 1)), "create")),
    case("create a device with a server", act(_device(instance=things.instance()), "create")),
    case("create a device of nobody", act(_device(instance_uuid=NOBODY), "create")),
    case("create a device without server", act(made(BDM, source_type="blank"), "create")),
    case(
        "create swap",
        act(_device(source_type="blank", destination_type="local", guest_format="swap", volume_id=None), "create"),
    ),
    case(
        "save a device",
        ask(f"{BDM}.get_by_volume_id", names.VOLUME, keep="it"),
        act(kept("it", connection_info='{"a": 1}', volume_size=2), "save"),
    ),
    case("save nothing of a device", ask(f"{BDM}.get_by_volume_id", names.VOLUME, keep="it"), act(kept("it"), "save")),
    case("save an absent device", act(held(BDM, {"id": 99, "instance_uuid": names.ACTIVE}, volume_size=2), "save")),
    case("save a deleted device", act(held(BDM, {"id": 5, "instance_uuid": names.ACTIVE}, volume_size=2), "save")),
    case(
        "save a device with a server",
        act(held(BDM, {"id": 1, "instance_uuid": names.ACTIVE}, instance=things.instance()), "save"),
    ),
    case(
        "save encryption",
        act(
            held(
                BDM,
                {"id": 1, "instance_uuid": names.ACTIVE},
                encrypted=True,
                encryption_format="luks",
                encryption_secret_uuid=names.uuid(1, 1),
            ),
            "save",
        ),
    ),
    case("update or create a new device", act(_device(), "update_or_create")),
    case(
        "update or create a known volume",
        act(_device(volume_id=names.VOLUME, device_name="/dev/vda"), "update_or_create"),
    ),
    case("update or create a known name", act(_device(device_name="/dev/vda"), "update_or_create")),
    case(
        "update or create with an id",
        act(held(BDM, {"id": 1, "instance_uuid": names.ACTIVE}, volume_size=9), "update_or_create"),
    ),
    case(
        "update or create swap beside none",
        act(
            _device(source_type="blank", destination_type="local", guest_format="swap", volume_id=None),
            "update_or_create",
        ),
    ),
    case(
        "destroy a device",
        ask(f"{BDM}.get_by_volume_id", names.VOLUME, keep="it"),
        act(kept("it"), "destroy", keep="gone"),
        act(kept("gone"), "destroy"),
    ),
    case("destroy an absent device", act(held(BDM, {"id": 99, "instance_uuid": names.ACTIVE}), "destroy")),
    case("destroy a device without id", act(made(BDM, instance_uuid=names.ACTIVE), "destroy")),
    case("device of a volume", ask(f"{BDM}.get_by_volume", names.VOLUME)),
    case("device of a shared volume", ask(f"{BDM}.get_by_volume", names.SHARED_VOLUME)),
    case("device of a loose volume", ask(f"{BDM}.get_by_volume", names.LOOSE_VOLUME)),
    case("device of a volume with its server", ask(f"{BDM}.get_by_volume", names.VOLUME, expected_attrs=["instance"])),
    case("device by volume id", ask(f"{BDM}.get_by_volume_id", names.SHARED_VOLUME)),
    case("device by volume and server", ask(f"{BDM}.get_by_volume_id", names.VOLUME, instance_uuid=names.ACTIVE)),
    case(
        "device by volume and another server", ask(f"{BDM}.get_by_volume_id", names.VOLUME, instance_uuid=names.RESIZED)
    ),
    case("device by an absent volume", ask(f"{BDM}.get_by_volume_id", NOBODY)),
    case(
        "device by volume id with an unknown part", ask(f"{BDM}.get_by_volume_id", names.VOLUME, expected_attrs=["x"])
    ),
    case("device of a server", ask(f"{BDM}.get_by_volume_and_instance", names.SHARED_VOLUME, names.RESIZED)),
    case(
        "device of a server with it",
        ask(f"{BDM}.get_by_volume_and_instance", names.SHARED_VOLUME, names.RESIZED, expected_attrs=["instance"]),
    ),
    case("device of another server", ask(f"{BDM}.get_by_volume_and_instance", names.VOLUME, names.RESIZED)),
    case("devices of a server", ask(f"{BDM}List.get_by_instance_uuid", names.ACTIVE)),
    case("devices of nobody", ask(f"{BDM}List.get_by_instance_uuid", NOBODY)),
    case("devices of servers", ask(f"{BDM}List.get_by_instance_uuids", [names.ACTIVE, names.RESIZED, NOBODY])),
    case("devices of no servers", ask(f"{BDM}List.get_by_instance_uuids", [])),
    case("devices of a volume", ask(f"{BDM}List.get_by_volume", names.SHARED_VOLUME)),
    case("devices of an absent volume", ask(f"{BDM}List.get_by_volume", NOBODY)),
]


def _vif(**changes: object) -> object:
    values = {
        "instance_uuid": names.ACTIVE,
        "address": "fa:16:3e:00:00:09",
        "uuid": names.uuid(0x21, 9),
        "network_id": 7,
        "tag": None,
    }
    return made("VirtualInterface", **(values | changes))


NETWORK = [
    case("read an info cache", ask("InstanceInfoCache.get_by_instance_uuid", names.ACTIVE)),
    case("read an absent info cache", ask("InstanceInfoCache.get_by_instance_uuid", NOBODY)),
    case(
        "save an info cache",
        ask("InstanceInfoCache.get_by_instance_uuid", names.ACTIVE, keep="it"),
        act(kept("it", network_info="[]"), "save", update_cells=False),
    ),
    case(
        "save nothing of an info cache",
        ask("InstanceInfoCache.get_by_instance_uuid", names.ACTIVE, keep="it"),
        act(kept("it"), "save"),
    ),
    case(
        "save an absent info cache",
        act(made("InstanceInfoCache", instance_uuid=names.PLANNED, network_info=[]), "save"),
    ),
    case(
        "save the cache of a deleted server",
        act(made("InstanceInfoCache", instance_uuid=names.GONE, network_info=[]), "save"),
    ),
    case(
        "delete an info cache",
        ask("InstanceInfoCache.get_by_instance_uuid", names.ACTIVE, keep="it"),
        act(kept("it"), "delete"),
    ),
    case("delete an absent info cache", act(made("InstanceInfoCache", instance_uuid=NOBODY), "delete")),
    case("refresh an info cache", act(made("InstanceInfoCache", instance_uuid=names.ACTIVE), "refresh")),
    case(
        "refresh a stale info cache",
        act(made("InstanceInfoCache", instance_uuid=names.ACTIVE, network_info=[]), "refresh"),
    ),
    case("refresh an absent info cache", act(made("InstanceInfoCache", instance_uuid=NOBODY), "refresh")),
    case("create an interface", act(_vif(), "create")),
    case("create an interface twice", act(_vif(), "create", keep="it"), act(kept("it"), "create")),
    case("create an interface of a known address", act(_vif(address="fa:16:3e:00:00:01"), "create")),
    case("create an interface of nobody", act(_vif(instance_uuid=NOBODY), "create")),
    case("save an interface", ask("VirtualInterface.get_by_id", 1, keep="it"), act(kept("it", tag="new"), "save")),
    case("save an absent interface", act(held("VirtualInterface", {"id": 99}, tag="new"), "save")),
    case("save a taken address", act(held("VirtualInterface", {"id": 1}, address="fa:16:3e:00:00:02"), "save")),
    case("destroy an interface", ask("VirtualInterface.get_by_id", 1, keep="it"), act(kept("it"), "destroy")),
    case("destroy an absent interface", act(held("VirtualInterface", {"id": 99}), "destroy")),
    case("interface by id", ask("VirtualInterface.get_by_id", 2)),
    case("interface by an absent id", ask("VirtualInterface.get_by_id", 99)),
    case("interface by uuid", ask("VirtualInterface.get_by_uuid", names.PORT)),
    case("interface by an absent uuid", ask("VirtualInterface.get_by_uuid", NOBODY)),
    case("interface by address", ask("VirtualInterface.get_by_address", "fa:16:3e:00:00:01")),
    case("interface by an absent address", ask("VirtualInterface.get_by_address", "fa:16:3e:00:00:99")),
    case("interface by network", ask("VirtualInterface.get_by_instance_and_network", names.ACTIVE, 7)),
    case("interface by another network", ask("VirtualInterface.get_by_instance_and_network", names.ACTIVE, 8)),
    case("delete interfaces", ask("VirtualInterface.delete_by_instance_uuid", names.ACTIVE)),
    case("delete interfaces of nobody", ask("VirtualInterface.delete_by_instance_uuid", NOBODY)),
    case("all interfaces", ask("VirtualInterfaceList.get_all")),
    case("interfaces of a server", ask("VirtualInterfaceList.get_by_instance_uuid", names.ACTIVE)),
    case("interfaces of nobody", ask("VirtualInterfaceList.get_by_instance_uuid", NOBODY)),
]


def _pci(number: int = 1, **changes: object) -> object:
    return held(
        "PciDevice",
        {
            "id": number,
            "uuid": names.uuid(0x9C1D, number),
            "compute_node_id": 1,
            "address": f"0000:81:00.{number}",
            "status": "available",
            "extra_info": {},
        },
        **changes,
    )


DEVICES_OF_NODES = [
    case("pci device by id", ask("PciDevice.get_by_dev_id", 1)),
    case("pci device by an absent id", ask("PciDevice.get_by_dev_id", 99)),
    case("pci device by address", ask("PciDevice.get_by_dev_addr", 1, "0000:81:00.2")),
    case("pci device by an absent address", ask("PciDevice.get_by_dev_addr", 1, "0000:99:00.2")),
    case("pci device by another node", ask("PciDevice.get_by_dev_addr", 9, "0000:81:00.2")),
    case(
        "save a pci device",
        ask("PciDevice.get_by_dev_id", 2, keep="it"),
        act(kept("it", status="claimed", instance_uuid=names.ACTIVE), "save"),
    ),
    case("save nothing of a pci device", ask("PciDevice.get_by_dev_id", 2, keep="it"), act(kept("it"), "save")),
    case("save extra info", act(_pci(extra_info={"a": "b"}, numa_node=1), "save")),
    case(
        "save a new pci device",
        act(
            made(
                "PciDevice",
                compute_node_id=1,
                address="0000:82:00.0",
                product_id="1",
                vendor_id="2",
                dev_type="type-PF",
                dev_id="pci_new",
                label="label",
                status="available",
                extra_info={},
                numa_node=None,
                parent_addr=None,
            ),
            "save",
        ),
    ),
    case("save a removed pci device", act(_pci(2, status="removed"), "save")),
    case("save a deleted pci device", act(_pci(2, status="deleted"), "save")),
    case("save an absent pci device", act(_pci(9, status="claimed"), "save")),
    case("pci devices of a node", ask("PciDeviceList.get_by_compute_node", 1)),
    case("pci devices of no node", ask("PciDeviceList.get_by_compute_node", 9)),
    case("pci devices of a server", ask("PciDeviceList.get_by_instance_uuid", names.ACTIVE)),
    case("pci devices of a claim", ask("PciDeviceList.get_by_instance_uuid", names.RESIZED)),
    case("pci devices of a parent", ask("PciDeviceList.get_by_parent_address", 1, "0000:81:00.0")),
    case("pci devices of no parent", ask("PciDeviceList.get_by_parent_address", 1, "0000:99:00.0")),
]
EXTRA_NAMES = [
    "InstanceNUMATopology",
    "InstancePCIRequests",
    "InstanceDeviceMetadata",
    "TrustedCerts",
    "VirtCPUModel",
    "MigrationContext",
    "ResourceList",
]
EXTRA = [
    case(f"{name} of {server}", ask(f"{name}.get_by_instance_uuid", uuid))
    for name in EXTRA_NAMES
    for server, uuid in (
        ("a server", names.ACTIVE),
        ("the resized", names.RESIZED),
        ("the broken", names.BROKEN),
        ("nobody", NOBODY),
        ("the deleted", names.GONE),
    )
] + [
    case("create a numa topology", act(things.numa_topology(names.BROKEN), "create")),
    case("create a numa topology of nobody", act(things.numa_topology(NOBODY), "create")),
]


def _share(**changes: object) -> object:
    values = {
        "instance_uuid": names.ACTIVE,
        "share_id": names.uuid(0x54, 9),
        "status": "attaching",
        "tag": "t",
        "export_location": "192.0.2.9:/nine",
        "share_proto": "NFS",
        "uuid": names.uuid(0x54, 10),
    }
    return made("ShareMapping", **(values | changes))


SHARES = [
    case("save a new share", act(_share(), "save")),
    case("save a new share with its key", act(_share(access_type="cephx", access_to="bob", access_key="k"), "save")),
    case("save a share that another one has", act(_share(share_id=names.SHARE, uuid=names.SHARE_MAPPING), "save")),
    case("save a share of a server and share that are there", act(_share(share_id=names.SHARE), "save")),
    case(
        "save the status of a share",
        ask("ShareMapping.get_by_instance_uuid_and_share_id", names.ACTIVE, names.SHARE, keep="it"),
        act(kept("it", status="active"), "save"),
    ),
    case(
        "delete a share",
        ask("ShareMapping.get_by_instance_uuid_and_share_id", names.ACTIVE, names.SHARE, keep="it"),
        act(kept("it"), "delete"),
        act(kept("it"), "delete"),
    ),
    case("delete an absent share", act(_share(), "delete")),
    case("read a share", ask("ShareMapping.get_by_instance_uuid_and_share_id", names.ACTIVE, names.SHARE)),
    case("read an absent share", ask("ShareMapping.get_by_instance_uuid_and_share_id", names.ACTIVE, NOBODY)),
    case("shares of a server", ask("ShareMappingList.get_by_instance_uuid", names.ACTIVE)),
    case("shares of nobody", ask("ShareMappingList.get_by_instance_uuid", NOBODY)),
    case("mappings of a share", ask("ShareMappingList.get_by_share_id", names.SHARE)),
    case("mappings of an absent share", ask("ShareMappingList.get_by_share_id", NOBODY)),
    case("shares of a host", ask("ShareMappingList.get_by_host_for_reconcile", names.HOST)),
    case("shares of another host", ask("ShareMappingList.get_by_host_for_reconcile", names.OTHER_HOST)),
    case(
        "shares of a host after it failed",
        ask("ShareMapping.get_by_instance_uuid_and_share_id", names.ACTIVE, names.SHARE, keep="it"),
        act(kept("it", status="error"), "save"),
        ask("ShareMappingList.get_by_host_for_reconcile", names.HOST),
    ),
]
TAGS = [
    case("create a tag", act(made("Tag", resource_id=names.ACTIVE, tag="green"), "create")),
    case("create a tag that is there", act(made("Tag", resource_id=names.ACTIVE, tag="blue"), "create")),
    case("create a tag of nobody", act(made("Tag", resource_id=NOBODY, tag="green"), "create")),
    case("destroy a tag", ask("Tag.destroy", names.ACTIVE, "blue")),
    case("destroy an absent tag", ask("Tag.destroy", names.ACTIVE, "green")),
    case("destroy a tag of nobody", ask("Tag.destroy", NOBODY, "green")),
    case("a tag that exists", ask("Tag.exists", names.ACTIVE, "blue")),
    case("a tag that does not exist", ask("Tag.exists", names.ACTIVE, "green")),
    case("a tag of nobody", ask("Tag.exists", NOBODY, "green")),
    case("tags of a server", ask("TagList.get_by_resource_id", names.ACTIVE)),
    case("tags of a server without", ask("TagList.get_by_resource_id", names.BROKEN)),
    case("tags of nobody", ask("TagList.get_by_resource_id", NOBODY)),
    case("replace tags", ask("TagList.create", names.ACTIVE, ["red", "new"])),
    case("replace tags with none", ask("TagList.create", names.ACTIVE, [])),
    case("replace tags of nobody", ask("TagList.create", NOBODY, ["x"])),
    case("destroy tags", ask("TagList.destroy", names.ACTIVE)),
    case("destroy tags of a server without", ask("TagList.destroy", names.BROKEN)),
    case("destroy tags of nobody", ask("TagList.destroy", NOBODY)),
]


def _token(**changes: object) -> object:
    values = {
        "console_type": "novnc",
        "host": names.HOST,
        "port": 5901,
        "instance_uuid": names.ACTIVE,
        "internal_access_path": None,
        "access_url_base": "http://192.0.2.1:6080/vnc_auto.html",
    }
    return made("ConsoleAuthToken", **(values | changes))


TOKENS = [
    case("authorize", act(_token(), "authorize", 600)),
    case("authorize twice", act(_token(), "authorize", 600, keep="it"), act(kept("it"), "authorize", 600)),
    case("authorize with tls", act(_token(tls_port=5902, internal_access_path="/x"), "authorize", ttl=600)),
    case("authorize for nobody", act(_token(instance_uuid=NOBODY), "authorize", 600)),
    case("validate a token", ask("ConsoleAuthToken.validate", names.TOKEN)),
    case("validate a dead token", ask("ConsoleAuthToken.validate", names.DEAD_TOKEN)),
    case("validate an unknown token", ask("ConsoleAuthToken.validate", NOBODY)),
    case("clean tokens of a server", ask("ConsoleAuthToken.clean_console_auths_for_instance", names.ACTIVE)),
    case("clean tokens of nobody", ask("ConsoleAuthToken.clean_console_auths_for_instance", NOBODY)),
    case("clean dead tokens", ask("ConsoleAuthToken.clean_expired_console_auths")),
    case("clean dead tokens of a host", ask("ConsoleAuthToken.clean_expired_console_auths_for_host", names.HOST)),
    case("clean dead tokens of another host", ask("ConsoleAuthToken.clean_expired_console_auths_for_host", "x")),
]
IDS = [
    case(
        "ids of a server",
        ask("EC2Ids.get_by_instance", things.instance(image_ref=names.IMAGE, kernel_id="", ramdisk_id="")),
    ),
    case(
        "ids of a server with a new image",
        ask(
            "EC2Ids.get_by_instance",
            things.instance(
                image_ref=names.uuid(0x19, 2), kernel_id=names.uuid(0x19, 3), ramdisk_id=names.uuid(0x19, 4)
            ),
        ),
    ),
    case(
        "ids of nobody",
        ask("EC2Ids.get_by_instance", things.instance(NOBODY, 99, image_ref="", kernel_id="", ramdisk_id="")),
    ),
    case("create a server id", act(made("EC2InstanceMapping", uuid=names.PLANNED), "create")),
    case(
        "create a server id twice",
        act(made("EC2InstanceMapping", uuid=names.PLANNED), "create", keep="it"),
        act(kept("it"), "create"),
    ),
    case("server id by uuid", ask("EC2InstanceMapping.get_by_uuid", names.ACTIVE)),
    case("server id by an absent uuid", ask("EC2InstanceMapping.get_by_uuid", NOBODY)),
    case("server id by id", ask("EC2InstanceMapping.get_by_id", 1)),
    case("server id by an absent id", ask("EC2InstanceMapping.get_by_id", 99)),
    case("create an image id", act(made("S3ImageMapping", uuid=names.uuid(0x19, 5)), "create")),
    case(
        "create an image id twice",
        act(made("S3ImageMapping", uuid=names.uuid(0x19, 5)), "create", keep="it"),
        act(kept("it"), "create"),
    ),
    case("image id by uuid", ask("S3ImageMapping.get_by_uuid", names.IMAGE)),
    case("image id by an absent uuid", ask("S3ImageMapping.get_by_uuid", NOBODY)),
    case("image id by id", ask("S3ImageMapping.get_by_id", 1)),
    case("image id by an absent id", ask("S3ImageMapping.get_by_id", 99)),
]
CASES = [*DEVICES, *NETWORK, *DEVICES_OF_NODES, *EXTRA, *SHARES, *TAGS, *TOKENS, *IDS]
