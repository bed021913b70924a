"""The version document of the volume API."""
