"""Values for the fields of any versioned object, told by the fields themselves; the same ones in every run.

Used by programs that run in the interpreter of a real release.
"""

import datetime
import json
import uuid
import zlib

NAMESPACE = uuid.UUID("5f1a8c1e-0000-4000-8000-6f70656e6b65")
DEPTH = 3  # objects within objects; deeper ones are left out
NETWORK = {
    "id": "11111111-2222-4333-8444-555555555555",
    "bridge": "br-int",
    "label": "private",
    "subnets": [
        {
            "cidr": "10.0.0.0/24",
            "ips": [{"address": "10.0.0.5", "type": "fixed", "version": 4, "meta": {}, "floating_ips": []}],
            "dns": [],
            "routes": [],
            "gateway": {"address": "10.0.0.1", "type": "gateway", "version": 4, "meta": {}},
            "version": 4,
            "meta": {},
        }
    ],
    "meta": {"injected": False, "mtu": 1450},
}
VIF = json.dumps(
    {
        "id": "7d1f5d4a-6a4e-4f0e-9a52-0f6f0f5f8d11",
        "address": "fa:16:3e:1c:2b:3d",
        "type": "ovs",
        "devname": "tap7d1f5d4a-6a",
        "active": True,
        "vnic_type": "normal",
        "profile": {},
        "details": {"port_filter": True},
        "network": NETWORK,
    }
)


def number(name, variant=0):
    """A small number that belongs to a name."""
    return zlib.crc32(f"{name}/{variant}".encode()) % 64 + 1


def moment(name, variant):
    """A time without fractions, with a zone."""
    return datetime.datetime(2026, 1, 1 + number(name, variant) % 28, 4, 5, 6, tzinfo=datetime.UTC)


def hexadecimal(name, variant):
    return f"{number(name, variant):02x}"


# type of a field, by the name of its class or of a class it derives from -> value for (name, variant)
PLAIN = {
    "Integer": number,
    "NonNegativeInteger": number,
    "Float": lambda name, variant: number(name, variant) + 0.5,
    "NonNegativeFloat": lambda name, variant: number(name, variant) + 0.5,
    "Boolean": lambda name, variant: variant % 2 == 0,
    "FlexibleBoolean": lambda name, variant: variant % 2 == 0,
    "UUID": lambda name, variant: str(uuid.uuid5(NAMESPACE, f"{name}/{variant}")),
    "DateTime": moment,
    "IPAddress": lambda name, variant: f"192.0.2.{number(name, variant)}",
    "IPV4Address": lambda name, variant: f"192.0.2.{number(name, variant)}",
    "IPV6Address": lambda name, variant: f"2001:db8::{number(name, variant)}",
    "IPNetwork": lambda name, variant: f"198.51.{number(name, variant)}.0/24",
    "IPV4Network": lambda name, variant: f"198.51.{number(name, variant)}.0/24",
    "IPV6Network": lambda name, variant: f"2001:db8:{number(name, variant)}::/48",
    "MACAddress": lambda name, variant: f"fa:16:3e:00:00:{hexadecimal(name, variant)}",
    "PCIAddress": lambda name, variant: f"0000:{hexadecimal(name, variant)}:00.1",
    "IDEAddress": lambda name, variant: f"0:{variant % 2}",
    "SCSIAddress": lambda name, variant: f"0:0:{variant % 8}:1",
    "USBAddress": lambda name, variant: f"0:{variant % 8 + 1}",
    "XenAddress": lambda name, variant: f"00{number(name, variant) % 90 + 10}00",
    "ResourceClass": lambda name, variant: ("VCPU", "CUSTOM_GOLD")[variant % 2],
    "VersionPredicate": lambda name, variant: (">=1.0", "!=2.3")[variant % 2],
    "NetworkModel": lambda name, variant: f"[{VIF}]" if variant == 0 else "[]",
    "NetworkVIFModel": lambda name, variant: VIF,
    "SensitiveString": lambda name, variant: f'{{"{name}": {variant}}}',
    "String": lambda name, variant: f"{name}-{variant}",
    "FieldType": lambda name, variant: f"{name}-{variant}",
}
AS_WIRE = ("NetworkModel", "NetworkVIFModel")  # values that are told as their wire form


class Unfillable(Exception):
    """There is no value for the field at this depth."""


class Samples:
    """Objects of a registry, filled by variant: 0 is the usual one, others differ in every value.

    :param classes: name -> newest class
    """

    def __init__(self, classes):
        self.classes = classes

    def subclasses(self, name):
        """Names of the registered classes below ``name``, or the name itself."""
        found = [other for other, cls in sorted(self.classes.items()) if self.classes[name] in cls.__mro__[1:]]
        return found or [name]

    def make(self, name, variant=0, choose=None, within=()):
        """An object with all fields set that ``choose(field name, field)`` answers ``"fill"`` for.

        Other answers: ``"null"``, ``"empty"`` (no elements), None (leave unset). Nested objects are filled always.
        """
        obj = self.classes[name]()
        for field_name, field in sorted(obj.fields.items()):
            how = choose(field_name, field) if choose else "fill"
            try:
                if how == "null" or (how == "fill" and self.is_looped(field, within + (name,)) and field.nullable):
                    setattr(obj, field_name, None)
                elif how == "empty":
                    setattr(obj, field_name, empty(field))
                elif how == "fill":
                    self.fill(obj, field_name, field, variant, within + (name,))
            except Unfillable:
                pass
        return obj

    def is_looped(self, field, within):
        """Whether the field holds an object that is being filled already."""
        inner = getattr(field, "objname", None)
        return inner is not None and (inner in within or len(within) > DEPTH)

    def fill(self, obj, name, field, variant, within):
        """Set one field to its value of ``variant``."""
        set_wire = kind(field._type) in AS_WIRE
        value = self.value(field._type, name, variant, within)
        setattr(obj, name, field.from_primitive(obj, name, value) if set_wire else value)

    def value(self, declared, name, variant, within):
        """The value of a field type."""
        if hasattr(declared, "_valid_values") or hasattr(declared, "valid_values"):
            options = declared.valid_values
            return options[variant % len(options)]
        of = kind(declared)
        if of == "Object":
            return self.object_of(declared, variant, within)
        if of == "List":
            return self.elements(declared._element_type, name, variant, within)
        if of == "Set":
            # one element only: the order of more is not defined on the wire
            return {self.value(declared._element_type._type, name, variant, within)}
        if of == "Dict":
            keys = [f"{name}_{number}" for number in range(1 + variant % 2)]
            return {key: self.value(declared._element_type._type, key, variant, within) for key in keys}
        return PLAIN[of](name, variant)

    def object_of(self, declared, variant, within):
        names = self.subclasses(declared._obj_name) if declared._subclasses else [declared._obj_name]
        name = names[variant % len(names)]
        if name in within or len(within) > DEPTH:
            raise Unfillable(name)
        return self.make(name, variant, within=within)

    def elements(self, element, name, variant, within):
        """One element for variant 0, two for others; one of each subclass where those are allowed."""
        declared = element._type
        if kind(declared) == "Object" and declared._subclasses:
            count = len(self.subclasses(declared._obj_name))
            return [self.value(declared, name, number, within) for number in range(count)]
        try:
            return [self.value(declared, name, variant + number, within) for number in range(1 + min(variant, 1))]
        except Unfillable:
            return []


def kind(declared):
    """The name in PLAIN, or Object, List, Set, Dict, Enum, of a field type."""
    for cls in type(declared).__mro__:
        if cls.__name__ in PLAIN or cls.__name__ in ("Object", "List", "Set", "Dict", "Enum"):
            return cls.__name__
    raise LookupError(f"no sample for {type(declared)}")


def empty(field):
    """The value without elements, or without characters, of a field.

    :raises Unfillable: the field has no such value
    """
    found = {"List": [], "Set": set(), "Dict": {}, "String": ""}.get(kind(field._type))
    if found is None:
        raise Unfillable(type(field).__name__)
    return found
