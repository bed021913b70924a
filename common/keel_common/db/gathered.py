"""Rows gathered into JSON by the database: one row a group instead of one a pair, which is what a driver is slow at.

Both engines know them under names of their own: MySQL 5.7.22 and MariaDB 10.5, SQLite with its JSON functions.
"""

from typing import Any

from sqlalchemy import Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction


class json_object_of(GenericFunction[str]):  # noqa: N801 - the name of an SQL function
    """The pairs (key, value) of a group as one JSON object."""

    type = Text()
    inherit_cache = True


class json_array_of(GenericFunction[str]):  # noqa: N801 - the name of an SQL function
    """The values of a group as one JSON array, in no order."""

    type = Text()
    inherit_cache = True


_NAMES = {
    json_object_of: {"sqlite": "json_group_object", "mysql": "JSON_OBJECTAGG", "mariadb": "JSON_OBJECTAGG"},
    json_array_of: {"sqlite": "json_group_array", "mysql": "JSON_ARRAYAGG", "mariadb": "JSON_ARRAYAGG"},
}


@compiles(json_object_of)
@compiles(json_array_of)
def _function(element: Any, compiler: Any, **kwargs: Any) -> str:
    return f"{_NAMES[type(element)][compiler.dialect.name]}({compiler.process(element.clauses, **kwargs)})"
