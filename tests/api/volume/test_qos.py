"""Quality of service specs (answers: cinder 29.0.0, measured)."""

import pytest
from fakes.api import Identity

ADMIN = Identity.ADMIN
SPECS = "/qos-specs"


@pytest.fixture
def spec(volume):
    def make(name="gold", **keys):
        return volume.post(SPECS, {"qos_specs": {"name": name, **keys}}, who=ADMIN).ok.body["qos_specs"]

    return make


@pytest.fixture
def kind(volume):
    def make(name):
        return volume.post("/types", {"volume_type": {"name": name}}, who=ADMIN).ok.body["volume_type"]["id"]

    return make


def get(volume, path):
    return volume.get(f"{SPECS}/{path}", who=ADMIN)


def test_a_spec_has_a_consumer_and_keys_and_links_beside_it(volume, spec):
    made = spec(" gold ", a="1", b=None)
    assert made == {"id": made["id"], "name": "gold", "consumer": "back-end", "specs": {"a": "1"}}
    shown = get(volume, made["id"])
    assert shown.body["qos_specs"] == made and len(shown.body["links"]) == 2
    assert volume.get(SPECS, who=ADMIN).body == {"qos_specs": [made]}


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"name": "gold"}, 409),
        ({"name": " "}, 400),
        ({"name": "new", "consumer": "nobody"}, 400),
        ({"name": "new", "a": 1}, 400),
        ({"name": "new", "a": "x" * 256}, 400),
        ({"name": "new", "y" * 256: "x"}, 400),
    ],
)
def test_what_makes_no_spec_is_refused(volume, spec, asked, status):
    spec()
    assert volume.post(SPECS, {"qos_specs": asked}, who=ADMIN).status == status


def test_keys_are_written_and_taken_away(volume, spec):
    path = f"{SPECS}/{spec(a='1', b='2')['id']}"
    change = {"a": "9", "consumer": "both", "name": "only a key"}
    assert volume.put(path, {"qos_specs": change}, who=ADMIN).body == {"qos_specs": change}
    assert volume.put(path, {"qos_specs": {"consumer": "nobody"}}, who=ADMIN).status == 400
    shown = volume.get(path, who=ADMIN).body["qos_specs"]
    assert shown["consumer"] == "both" and shown["specs"] == {"a": "9", "b": "2", "name": "only a key"}
    assert volume.put(f"{path}/delete_keys", {"keys": ["a"]}, who=ADMIN).status == 202
    for keys in (["a"], ["consumer"], ["b", "none"]):
        assert volume.put(f"{path}/delete_keys", {"keys": keys}, who=ADMIN).status == 404
    # Those before the missing one are gone, as measured.
    assert volume.get(path, who=ADMIN).body["qos_specs"]["specs"] == {"name": "only a key"}


def test_types_are_associated_with_get(volume, spec, kind):
    gold, other, fast = spec()["id"], spec("other")["id"], kind("fast")
    for _ in range(2):
        assert get(volume, f"{gold}/associate?vol_type_id={fast}").status == 202
    found = {"association_type": "volume_type", "name": "fast", "id": fast}
    assert get(volume, f"{gold}/associations").body == {"qos_associations": [found]}
    assert get(volume, f"{other}/associate?vol_type_id={fast}").status == 400
    assert get(volume, f"{other}/disassociate?vol_type_id={fast}").status == 202
    assert volume.delete(f"{SPECS}/{gold}", who=ADMIN).status == 400
    assert get(volume, f"{gold}/disassociate?vol_type_id={fast}").status == 202
    assert volume.delete(f"{SPECS}/{gold}", who=ADMIN).status == 202


def test_deleting_by_force_takes_the_spec_from_its_types(volume, spec, kind):
    gold, fast = spec()["id"], kind("fast")
    get(volume, f"{gold}/associate?vol_type_id={fast}")
    assert volume.delete(f"{SPECS}/{gold}?force=perhaps", who=ADMIN).status == 400
    assert volume.delete(f"{SPECS}/{gold}?force=true", who=ADMIN).status == 202
    assert volume.get(f"/types/{fast}", who=ADMIN).body["volume_type"]["qos_specs_id"] is None
    assert get(volume, gold).status == 404


@pytest.mark.parametrize("step", ["associate", "disassociate"])
def test_an_association_needs_a_type_that_exists(volume, spec, step):
    gold = spec()["id"]
    assert get(volume, f"{gold}/{step}").status == 400
    assert get(volume, f"{gold}/{step}?vol_type_id=none").status == 404
    assert get(volume, f"none/{step}?vol_type_id=none").status == 404


def test_lists_are_filtered_by_columns_and_paged(volume, spec):
    made = [spec(name)["id"] for name in ("a", "b", "c")]
    page = volume.get(f"{SPECS}?limit=1&sort=value:asc", who=ADMIN).body
    assert [row["id"] for row in page["qos_specs"]] == [made[0]]
    assert f"marker={made[0]}" in page["qos_specs_links"][0]["href"]
    assert [row["name"] for row in volume.get(f"{SPECS}?value=b", who=ADMIN).body["qos_specs"]] == ["b"]
    assert volume.get(f"{SPECS}?name=b", who=ADMIN).body == {"qos_specs": []}
    assert volume.get(f"{SPECS}?marker=none", who=ADMIN).status == 404
    assert volume.get(SPECS).status == 403


def test_a_volume_of_a_type_with_a_spec_carries_it_to_the_scheduler(volume, spec, kind):
    gold, fast = spec(a="1")["id"], kind("fast")
    get(volume, f"{gold}/associate?vol_type_id={fast}")
    assert volume.post("/volumes", {"volume": {"size": 1, "volume_type": fast}}).status == 202
    _, sent = volume.bus.sent[-1]
    assert sent["request_spec"].volume_properties.qos_specs == {"consumer": "back-end", "a": "1"}
