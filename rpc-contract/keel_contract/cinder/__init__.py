"""The recorded contract of Cinder."""

OBJECT_VERSION = "1.39"
"""Version of the set of objects, as services write it to object_current_version (cinder 29.0.0 objects manifest)."""
