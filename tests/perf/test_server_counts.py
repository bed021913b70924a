"""What the life of a server costs, through every service of the compute suite.

Volume requests are counted as the block storage service sees them; what that service does behind them stands in
test_volume_counts.
"""

import pytest


@pytest.fixture(scope="module")
def server(_compute):
    cloud, ledger = _compute
    return cloud.boot(ledger)


def test_a_whole_boot(cloud, ledger):
    cloud.boot(ledger)
    ledger.compare("boot")
    assert ledger.count("sql ") <= 60
    assert ledger.count("sql api ") <= 14
    assert ledger.count("rpc call conductor ") <= 8


def test_showing_a_server(cloud, ledger, server):
    assert cloud.get(f"/servers/{server}", version="2.104").status == 200
    ledger.compare("show")
    assert ledger.count("sql ") <= 3


def test_attaching_a_volume_and_taking_it_away(cloud, ledger, server):
    volume = cloud.volume()
    ledger.reset()
    body = {"volumeAttachment": {"volumeId": volume}}
    assert cloud.post(f"/servers/{server}/os-volume_attachments", body, version="2.104").status == 202
    ledger.settle(lambda: cloud.ended(server, "attach_volume"))
    ledger.compare("attach_volume")

    ledger.reset()
    assert cloud.delete(f"/servers/{server}/os-volume_attachments/{volume}", version="2.104").status == 202
    ledger.settle(lambda: cloud.ended(server, "detach_volume"))
    ledger.compare("detach_volume")


@pytest.mark.parametrize("verb", ["stop", "start"])
def test_switching_a_server(cloud, ledger, server, verb):
    assert cloud.post(f"/servers/{server}/action", {f"os-{verb}": None}, version="2.104").status == 202
    ledger.settle(lambda: cloud.ended(server, verb))
    ledger.compare(verb)


def test_deleting_a_server(cloud, ledger):
    server = cloud.boot(ledger)
    ledger.reset()
    assert cloud.delete(f"/servers/{server}", version="2.104").status == 204
    ledger.settle(lambda: cloud.rows("instances", uuid=server)[0]["deleted"])
    ledger.compare("delete")
    assert ledger.count("sql ") <= 30
