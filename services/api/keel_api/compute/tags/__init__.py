"""Tags of a server (2.26)."""
