"""Transfers between projects (rules and vector: cinder 29.0.0 transfers)."""

import pytest
from fakes.api import OTHER as OTHER_PROJECT
from fakes.api import PROJECT, Identity

from keel_common.db.stores.cinder import quotas, transfers
from keel_common.domain.volume.transfers import crypt_hash
from keel_contract.errors import RemoteFault

FAMILIES = ["/volume-transfers", "/os-volume-transfer"]
OTHER = Identity("other-user", OTHER_PROJECT, ("member", "reader"))


@pytest.fixture(autouse=True)
def backend_agrees(volume):
    volume.bus.answers["accept_transfer"] = {}


@pytest.fixture
def offer(volume):
    def make(volume_id, path=FAMILIES[0], version="3.71", **asked):
        return volume.post(path, {"transfer": {"volume_id": volume_id, **asked}}, version=version)

    return make


def used(volume, project, resource="gigabytes"):
    found = volume.db.read(quotas.usages, project, [resource])[resource]
    return found.in_use, found.reserved


def take(volume, transfer, key=None, path=FAMILIES[0], who=OTHER):
    asked = {"accept": {"auth_key": key or transfer["auth_key"]}}
    return volume.post(f"{path}/{transfer['id']}/accept", asked, who=who)


def test_the_hash_is_the_recorded_one():
    assert crypt_hash("abcdef01", "0123456789abcdef") == "8f41ff76066e9454577ab1c7eaada9df2e06a852"


@pytest.mark.parametrize("path", FAMILIES)
def test_an_offer_tells_its_key_once_and_holds_the_volume(volume, made, offer, backend, path):
    mine = made(2)
    made_offer = offer(mine, path, name=" n ")
    assert made_offer.status == 202
    shown = made_offer.body["transfer"]
    assert len(shown["auth_key"]) == 16 and shown["name"] == "n" and shown["source_project_id"] == PROJECT
    assert backend.row(mine)["status"] == "awaiting-transfer"
    again = volume.get(f"{path}/{shown['id']}", version="3.71").body["transfer"]
    assert "auth_key" not in again and again == {key: value for key, value in shown.items() if key != "auth_key"}
    kept = volume.db.read(transfers.get, shown["id"])
    assert kept["crypt_hash"] == crypt_hash(kept["salt"], shown["auth_key"])


@pytest.mark.parametrize(
    ("version", "extra"),
    [
        ("3.54", set()),
        ("3.55", {"no_snapshots"}),
        ("3.57", {"no_snapshots", "source_project_id", "destination_project_id", "accepted"}),
    ],
)
def test_fields_grow_with_the_version(made, offer, version, extra):
    shown = offer(made(), version=version).body["transfer"]
    assert set(shown) == {"id", "created_at", "name", "volume_id", "auth_key", "links"} | extra


def test_a_taken_volume_changes_its_project_and_both_quotas(volume, made, offer, backend):
    mine = made(3)
    cut = volume.post("/snapshots", {"snapshot": {"volume_id": mine}}).ok.body["snapshot"]["id"]
    backend.finish_snapshot(cut)
    transfer = offer(mine).body["transfer"]
    assert take(volume, transfer, "wrong").status == 400
    reply = take(volume, transfer)
    assert reply.status == 202 and set(reply.body["transfer"]) == {"id", "volume_id", "name", "links"}
    row = backend.row(mine)
    assert (row["status"], row["project_id"], row["user_id"]) == ("available", OTHER_PROJECT, "other-user")
    assert backend.snapshot(cut)["project_id"] == OTHER_PROJECT
    assert used(volume, PROJECT) == (0, 0) and used(volume, OTHER_PROJECT) == (6, 0)
    assert used(volume, PROJECT, "snapshots") == (0, 0) and used(volume, OTHER_PROJECT, "snapshots") == (1, 0)
    method, sent = volume.bus.sent[-1]
    assert (method, sent["volume_id"], sent["new_project"], sent["no_snapshots"]) == (
        "accept_transfer",
        mine,
        OTHER_PROJECT,
        False,
    )
    assert take(volume, transfer).status == 404


def test_snapshots_stay_behind_when_asked(volume, made, offer, backend):
    mine = made(3)
    cut = volume.post("/snapshots", {"snapshot": {"volume_id": mine}}).ok.body["snapshot"]["id"]
    assert offer(mine).message.startswith("Invalid snapshot")  # it is still creating
    transfer = offer(mine, no_snapshots=True).body["transfer"]
    assert take(volume, transfer).status == 202
    assert backend.snapshot(cut)["project_id"] == PROJECT
    assert used(volume, OTHER_PROJECT) == (3, 0)


def test_a_receiver_without_quota_or_with_a_backend_that_refuses_gets_nothing(volume, made, offer, backend):
    mine = made(3)
    transfer = offer(mine).body["transfer"]
    volume.db.run(quotas.set_limits, OTHER_PROJECT, {"gigabytes": 2})
    assert take(volume, transfer).message.startswith("VolumeSizeExceedsAvailableQuota: ")
    volume.db.run(quotas.set_limits, OTHER_PROJECT, {"gigabytes": 9, "volumes": 0})
    assert take(volume, transfer).message.startswith("VolumeLimitExceeded: ")
    volume.db.run(quotas.set_limits, OTHER_PROJECT, {"volumes": 9})
    volume.bus.answers["accept_transfer"] = RemoteFault("VolumeDriverException", "no")
    assert take(volume, transfer).status == 500
    assert used(volume, OTHER_PROJECT) == (0, 0) and backend.row(mine)["project_id"] == PROJECT
    volume.bus.answers["accept_transfer"] = {}
    backend.force(mine, status="error")
    assert take(volume, transfer).status == 400
    assert used(volume, OTHER_PROJECT) == (0, 0) and used(volume, PROJECT) == (3, 0)


def test_an_offer_is_taken_back_whatever_the_volume_is(volume, made, offer, backend):
    mine = made()
    transfer = offer(mine).body["transfer"]
    assert volume.delete(f"{FAMILIES[0]}/{transfer['id']}", who=OTHER).status == 404
    assert volume.delete(f"{FAMILIES[0]}/{transfer['id']}").status == 202
    assert backend.row(mine)["status"] == "available"
    transfer = offer(mine).body["transfer"]
    backend.force(mine, status="error")
    assert volume.delete(f"{FAMILIES[1]}/{transfer['id']}").status == 202
    assert backend.row(mine)["status"] == "error"
    assert volume.get(f"{FAMILIES[0]}/{transfer['id']}").status == 404


@pytest.mark.parametrize(
    "values", [{"status": "in-use"}, {"encryption_key_id": "11111111-1111-1111-1111-111111111111"}]
)
def test_volumes_that_cannot_be_offered(made, offer, backend, values):
    mine = made()
    backend.force(mine, **values)
    assert offer(mine).status == 400


def names(reply):
    return [row["name"] for row in reply.body["transfers"]]


def test_lists_page_from_3_59_on_and_on_the_newer_url_alone(volume, made, offer):
    for name in ("a", "b", "c"):
        offer(made(), name=name)
    newer, older = FAMILIES
    assert names(volume.get(newer, version="3.58")) == names(volume.get(older)) == ["a", "b", "c"]
    assert names(volume.get(newer, version="3.71")) == ["c", "b", "a"]
    page = volume.get(f"{newer}?limit=1", version="3.71")
    assert names(page) == ["c"] and "/os-volume-transfer?" in page.body["transfers_links"][0]["href"]
    assert names(volume.get(f"{newer}?offset=1", version="3.71")) == ["a"]
    assert names(volume.get(f"{newer}?name=b", version="3.71")) == names(volume.get(f"{older}?name=b")) == ["b"]
    assert names(volume.get(f"{older}?limit=1")) == names(volume.get(f"{newer}?limit=1", version="3.58")) == []
    assert volume.get(f"{newer}?limit=x", version="3.71").status == volume.get(f"{older}?limit=-1").status == 400
    assert names(volume.get(newer, who=OTHER)) == []
