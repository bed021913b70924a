"""The databases: tables, transactions, cells and the stores of each noun."""

from keel_common.db.cells import CELL0, Cell, CellNotFound, Cells
from keel_common.db.database import Database, count_statements
from keel_common.db.errors import DatabaseError, OutcomeUnknown, SchemaError, Unreachable
from keel_common.db.statements import add, cas, now, soft_delete
from keel_common.db.sync import check, current, sync

__all__ = [
    "CELL0",
    "Cell",
    "CellNotFound",
    "Cells",
    "Database",
    "DatabaseError",
    "OutcomeUnknown",
    "SchemaError",
    "Unreachable",
    "add",
    "cas",
    "check",
    "count_statements",
    "current",
    "now",
    "soft_delete",
    "sync",
]
