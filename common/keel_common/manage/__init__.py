"""keel-manage: administration of the databases, cells and services."""
