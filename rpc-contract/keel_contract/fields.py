"""Field types beyond those of oslo.versionedobjects.

The name of a type is part of the fingerprints, so each type keeps the recorded name.
"""

from __future__ import annotations

import json
import re
from typing import Any

from oslo_versionedobjects import fields as f


def enum(type_name: str, valid_values: Any) -> type[f.BaseEnumField]:
    """A field class for an enumeration of the recorded name; the order of the values is part of the fingerprints."""
    enum_type = type(type_name, (f.Enum,), {})(valid_values=valid_values)
    return type(f"{type_name}Field", (f.BaseEnumField,), {"AUTO_TYPE": enum_type})


class _Patterned(f.FieldType):
    """A string that a pattern must match from its first character on."""

    PATTERN: str

    def coerce(self, obj: Any, attr: str, value: Any) -> str:
        if not isinstance(value, str) or not re.match(self.PATTERN, value):
            raise ValueError(f"{attr} {value!r} is no {type(self).__name__}")
        return value

    def stringify(self, value: str) -> str:
        return repr(value)


class IDEAddress(_Patterned):
    """controller:unit"""

    PATTERN = "[0-1]:[0-1]"


class SCSIAddress(_Patterned):
    """host:channel:target:lun, hexadecimal"""

    PATTERN = "[a-f0-9]+:[a-f0-9]+:[a-f0-9]+:[a-f0-9]+"


class USBAddress(_Patterned):
    """bus:device, hexadecimal"""

    PATTERN = "[a-f0-9]+:[a-f0-9]+"


class XenAddress(_Patterned):
    """the number of a Xen virtual device"""

    PATTERN = "(00[0-9]{2}00)|[1-9][0-9]+"


class ResourceClass(_Patterned):
    """a resource class of Placement"""

    PATTERN = "^[A-Z0-9_]+$"


class _Json(f.FieldType):
    """A structure that travels as JSON text and is plain lists and dicts here."""

    def coerce(self, obj: Any, attr: str, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    def to_primitive(self, obj: Any, attr: str, value: Any) -> str:
        return json.dumps(value)

    def from_primitive(self, obj: Any, attr: str, value: Any) -> Any:
        return json.loads(value)

    def stringify(self, value: Any) -> str:
        return json.dumps(value)


class NetworkModel(_Json):
    """The list of a server's VIFs as Nova caches it."""


class NetworkVIFModel(_Json):
    """One VIF."""


class IDEAddressField(f.AutoTypedField):
    AUTO_TYPE = IDEAddress()


class SCSIAddressField(f.AutoTypedField):
    AUTO_TYPE = SCSIAddress()


class USBAddressField(f.AutoTypedField):
    AUTO_TYPE = USBAddress()


class XenAddressField(f.AutoTypedField):
    AUTO_TYPE = XenAddress()


class ResourceClassField(f.AutoTypedField):
    AUTO_TYPE = ResourceClass()


class NetworkModelField(f.AutoTypedField):
    AUTO_TYPE = NetworkModel()


class NetworkVIFModelField(f.AutoTypedField):
    AUTO_TYPE = NetworkVIFModel()


class DictOfNullableField(f.AutoTypedField):
    """Values of any primitive type."""

    AUTO_TYPE: f.Dict = f.Dict(f.FieldType(), nullable=True)


def is_boolean(declared: f.Field) -> bool:
    """Whether a field holds yes or no: databases store that as a number, or as nothing."""
    return isinstance(declared, f.BooleanField)
