"""The backup service: a store of objects, the format of backups in it, and the process that fills and reads it."""
