"""The older API of groups: consistency groups and their snapshots."""
