"""A list costs the same for ten servers and for a thousand; only Neutron is asked more often, 150 servers at a time."""

import pytest
from fakes.api import CELL1, OTHER, Identity

from perf import rows

MEMBER = Identity("list-user", OTHER, ("member", "reader"))
ADMIN = Identity("list-admin", OTHER, ("admin", "manager", "member", "reader"))


@pytest.fixture(scope="module")
def thousand(_compute):
    cloud, _ = _compute
    cell = cloud.cells.get(CELL1)
    for number in range(10):
        rows.service(cell, f"away-{number}")
    return rows.servers(cloud.cells.api, cell, OTHER, "list-user", 1000)


@pytest.mark.parametrize("who", [MEMBER, ADMIN])
@pytest.mark.parametrize("number", [10, 1000])
def test_listing_names(cloud, thousand, ledger, number, who):
    found = cloud.get(f"/servers?limit={number}", version="2.104", who=who).ok.body["servers"]
    assert len(found) == number
    ledger.compare("list_names")
    assert ledger.count("sql ") <= 4


@pytest.mark.parametrize("who", [MEMBER, ADMIN])
@pytest.mark.parametrize("number", [10, 1000])
def test_listing_details(cloud, thousand, ledger, number, who):
    found = cloud.get(f"/servers/detail?limit={number}", version="2.104", who=who).ok.body["servers"]
    assert len(found) == number and found[0]["os-extended-volumes:volumes_attached"] is not None
    ledger.compare(f"list_details_{number}_{'admin' if who is ADMIN else 'member'}")
    assert ledger.count("sql ") <= 4


def test_asking_what_has_changed_when_nothing_has(cloud, thousand, ledger):
    path = "/servers/detail?changes-since=2036-01-01T00:00:00Z"
    assert cloud.get(path, version="2.104", who=MEMBER).ok.body["servers"] == []
    ledger.compare("list_changes_none")
