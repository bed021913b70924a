"""Create Neutron's tables on SQLite, where its own migrations do not run.

Usage: python -m keel_plugins.neutron_schema DATABASE_URL

Neutron's migrations alter constraints, which SQLite cannot. So the tables come from its models, and the default
security group rules, which a migration inserts, are inserted here. An empty database is expected.
"""

import sys
import uuid

import sqlalchemy as sa
from neutron.db.migration.models import head

#: (direction, ethertype, remote group, used in groups other than the default one)
DEFAULT_RULES = (
    ("egress", "IPv4", None, True),
    ("egress", "IPv6", None, True),
    ("ingress", "IPv4", "PARENT", False),
    ("ingress", "IPv6", "PARENT", False),
)


def create(url):
    """Create all tables and the default security group rules."""
    metadata = head.get_metadata()
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        metadata.create_all(connection)
        for number, rule in enumerate(DEFAULT_RULES, start=1):
            insert_rule(connection, metadata.tables, number, *rule)


def insert_rule(connection, tables, number, direction, ethertype, remote_group, in_other_groups):
    """Insert one default rule with its row of standard attributes."""
    kind = "securitygroupdefaultrules"
    attributes = {"id": number, "resource_type": kind, "revision_number": 0, "description": f"Default {direction} rule"}
    connection.execute(tables["standardattributes"].insert().values(**attributes))
    connection.execute(
        tables[kind]
        .insert()
        .values(
            id=str(uuid.uuid4()),
            standard_attr_id=number,
            direction=direction,
            ethertype=ethertype,
            remote_group_id=remote_group,
            used_in_default_sg=True,
            used_in_non_default_sg=in_other_groups,
        )
    )


if __name__ == "__main__":
    create(sys.argv[1])
