"""Volume types, extra specs, access, encryption, default types."""

import pytest

from keel_common.db.stores.cinder import types, volumes


class Keystone:
    """The identity API: which projects exist."""

    def __init__(self, *projects):
        self.projects = projects

    def project_exists(self, project_id, context=None):
        return project_id in self.projects


@pytest.fixture
def make(volume, admin):
    def do(name="gold", specs=None, **asked):
        body = {"volume_type": {"name": name, "extra_specs": specs or {}, **asked}}
        return volume.post("/types", body, who=admin).ok.body["volume_type"]["id"]

    return do


def test_a_type_is_made_shown_and_listed(volume, admin):
    body = {"volume_type": {"name": "gold", "description": "d", "extra_specs": {"a": "1", "multiattach": "<is> True"}}}
    assert volume.post("/types", body).status == 403
    reply = volume.post("/types", body, who=admin)
    assert reply.status == 200
    assert set(reply.body["volume_type"]) == {
        "id", "name", "is_public", "description", "extra_specs", "os-volume-type-access:is_public"
    }  # fmt: skip
    assert volume.post("/types", body, who=admin).status == 409
    found = {row["name"]: row for row in volume.get("/types", who=admin).body["volume_types"]}
    assert set(found) == {"gold", "__DEFAULT__"}
    assert found["gold"]["extra_specs"] == {"a": "1", "multiattach": "<is> True"}
    assert found["gold"]["qos_specs_id"] is None


def test_members_see_the_harmless_specs_only(volume, make):
    mine = make(specs={"a": "1", "multiattach": "<is> True"})
    assert volume.get(f"/types/{mine}").body["volume_type"]["extra_specs"] == {"multiattach": "<is> True"}
    assert volume.get(f"/types/{mine}/extra_specs").body == {"extra_specs": {"multiattach": "<is> True"}}
    assert volume.get(f"/types/{mine}/extra_specs/a").status == 404


def test_private_types_are_for_the_projects_they_were_given_to(volume, make, admin, member):
    mine = make("secret", **{"os-volume-type-access:is_public": False})
    assert volume.get(f"/types/{mine}").status == 404
    assert volume.post("/volumes", {"volume": {"size": 1, "volume_type": "secret"}}).status == 404
    path = f"/types/{mine}/action"
    assert volume.post(path, {"addProjectAccess": {"project": member.project}}).status == 403
    assert volume.post(path, {"addProjectAccess": {"project": member.project}}, who=admin).status == 202
    assert volume.post(path, {"addProjectAccess": {"project": member.project}}, who=admin).status == 409
    assert volume.get(f"/types/{mine}/os-volume-type-access", who=admin).body == {
        "volume_type_access": [{"volume_type_id": mine, "project_id": member.project}]
    }
    assert volume.post("/volumes", {"volume": {"size": 1, "volume_type": "secret"}}).status == 202
    assert "secret" in {row["name"] for row in volume.get("/types").body["volume_types"]}
    for expected in (202, 404):
        assert volume.post(path, {"removeProjectAccess": {"project": member.project}}, who=admin).status == expected
    assert volume.post(path, {"addProjectAccess": {"project": member.project}}, who=admin).status == 202
    assert volume.post(path, {"removeProjectAccess": {"project": member.project}}, who=admin).status == 202


def test_public_types_have_no_access_list(volume, make, admin):
    mine = make()
    assert volume.get(f"/types/{mine}/os-volume-type-access", who=admin).status == 404
    assert volume.post(f"/types/{mine}/action", {"addProjectAccess": {"project": "p"}}, who=admin).status == 400


def test_administrators_choose_what_they_list(volume, make, admin):
    make("secret", **{"os-volume-type-access:is_public": False})
    names = lambda query: {row["name"] for row in volume.get(f"/types{query}", who=admin).body["volume_types"]}  # noqa: E731
    assert names("") == {"__DEFAULT__"}
    assert names("?is_public=None") == {"__DEFAULT__", "secret"}
    assert names("?is_public=false") == {"secret"}
    assert volume.get("/types?is_public=maybe", who=admin).status == 400


def test_types_can_be_found_by_spec_from_3_52(volume, make, admin):
    make("gold", {"a": "1", "RESKEY:availability_zones": "one,two"})
    path = "/types?extra_specs={'a':'1','RESKEY:availability_zones':'two'}"
    found = volume.get(path, who=admin, version="3.52").body["volume_types"]
    assert [row["name"] for row in found] == ["gold"]
    assert volume.get("/types?extra_specs={'a':'2'}", who=admin, version="3.52").body["volume_types"] == []


def test_the_default_type(volume, admin):
    shown = volume.get("/types/default").body["volume_type"]
    assert shown["name"] == "__DEFAULT__" and "os-volume-type-access:is_public" not in shown
    volume.set("default_volume_type", "none such")
    assert volume.get("/types/default").status == 404


def test_a_type_is_renamed_with_its_quota(volume, make, admin, member):
    mine = make()
    assert volume.post("/volumes", {"volume": {"size": 2, "volume_type": "gold"}}).status == 202
    reply = volume.put(f"/types/{mine}", {"volume_type": {"name": "silver"}}, who=admin)
    assert reply.status == 200 and reply.body["volume_type"]["name"] == "silver"
    quota = volume.get(f"/os-quota-sets/{member.project}?usage=true").body["quota_set"]
    assert quota["gigabytes_silver"]["in_use"] == 2 and "gigabytes_gold" not in quota
    assert volume.put(f"/types/{mine}", {"volume_type": {"name": "__DEFAULT__"}}, who=admin).status == 409
    assert volume.put(f"/types/{mine}", {"volume_type": {}}, who=admin).status == 400


def test_types_in_use_or_needed_are_not_deleted(volume, make, admin, made):
    mine = make()
    volume_id = made(1, volume_type="gold")
    assert volume.delete(f"/types/{mine}", who=admin).status == 400
    default = volume.get("/types/default").body["volume_type"]["id"]
    assert volume.delete(f"/types/{default}", who=admin).status == 400
    assert volume.put(f"/types/{mine}/extra_specs/a", {"a": "1"}, who=admin).status == 400
    volume.db.run(volumes.destroy, volume_id)
    assert volume.delete(f"/types/{mine}", who=admin).status == 202
    assert volume.get(f"/types/{mine}", who=admin).status == 404


def test_extra_specs_are_written_one_by_one(volume, make, admin):
    path = f"/types/{make()}/extra_specs"
    assert volume.post(path, {"extra_specs": {"a": "1", "b": "2"}}, who=admin).body == {
        "extra_specs": {"a": "1", "b": "2"}
    }
    assert volume.put(f"{path}/a", {"a": "3"}, who=admin).body == {"a": "3"}
    assert volume.put(f"{path}/a", {"b": "3"}, who=admin).status == 400
    assert volume.get(f"{path}/a", who=admin).body == {"a": "3"}
    assert volume.delete(f"{path}/a", who=admin).status == 202
    assert volume.delete(f"{path}/a", who=admin).status == 404
    assert volume.get(path, who=admin).body == {"extra_specs": {"b": "2"}}
    both = {"multiattach": "<is> True", "cacheable": "<is> True"}
    assert volume.post(path, {"extra_specs": both}, who=admin).status == 400


def test_sizes_and_zones_of_a_type_bind_its_volumes(volume, make):
    make("small", {"provisioning:max_vol_size": "2", "RESKEY:availability_zones": "nova"})
    ask = lambda **asked: volume.post("/volumes", {"volume": {"volume_type": "small", **asked}}).status  # noqa: E731
    assert (ask(size=3), ask(size=2), ask(size=1, availability_zone="mars")) == (400, 202, 400)


def test_multiattach_comes_from_the_type(volume, make):
    make("shared", {"multiattach": "<is> True"})
    assert (
        volume.post("/volumes", {"volume": {"size": 1, "volume_type": "shared"}}).body["volume"]["multiattach"] is True
    )
    assert volume.post("/volumes", {"volume": {"size": 1, "multiattach": True}}).status == 400


def test_encryption_by_the_hypervisor_is_kept_and_refused_where_it_would_count(volume, make, admin):
    mine = make()
    path = f"/types/{mine}/encryption"
    assert volume.get(path, who=admin).body == {}
    asked = {"provider": "luks", "control_location": "front-end", "key_size": 256, "cipher": "aes-xts-plain64"}
    shown = volume.post(path, {"encryption": asked}, who=admin).body["encryption"]
    assert shown["volume_type_id"] == mine and shown["provider"] == "luks"
    assert volume.post(path, {"encryption": asked}, who=admin).status == 400
    assert volume.get(f"{path}/cipher", who=admin).body == {"cipher": "aes-xts-plain64"}
    row = volume.get(path, who=admin).body
    assert (row["key_size"], row["deleted"], row["encryption_id"]) == (256, False, shown["encryption_id"])
    refused = volume.post("/volumes", {"volume": {"size": 1, "volume_type": "gold"}})
    assert (refused.status, "by the hypervisor (luks" in refused.body["badRequest"]["message"]) == (400, True)
    assert volume.put(f"{path}/any", {"encryption": {"key_size": 128}}, who=admin).body == {
        "encryption": {"key_size": 128}
    }
    assert volume.delete(f"{path}/any", who=admin).status == 202
    assert volume.delete(f"{path}/any", who=admin).status == 404


def test_encryption_by_the_storage_is_taken_when_the_type_asks_for_such_storage(volume, make, admin, made):
    mine = make()
    asked = {"provider": "storage", "control_location": "back-end"}
    assert volume.post(f"/types/{mine}/encryption", {"encryption": asked}, who=admin).status == 200
    body = {"volume": {"size": 1, "volume_type": "gold"}}
    refused = volume.post("/volumes", body)
    assert (refused.status, "encryption_at_rest" in refused.body["badRequest"]["message"]) == (400, True)
    plain = made()
    change = {"os-retype": {"new_type": "gold", "migration_policy": "never"}}
    assert volume.post(f"/volumes/{plain}/action", change).status == 400
    specs = {"extra_specs": {"encryption_at_rest": "<is> True"}}
    assert volume.post(f"/types/{mine}/extra_specs", specs, who=admin).status == 200
    assert volume.post("/volumes", body).status == 202


def test_plain_volumes_say_that_they_are_plain(volume, made):
    mine = made()
    assert volume.get(f"/volumes/{mine}/encryption").body == {"encryption_key_id": None}
    assert volume.get(f"/volumes/{mine}/encryption/encryption_key_id").raw == b""
    assert volume.get(f"/volumes/{mine}/encryption/cipher").status == 404


def test_default_types_of_projects(volume, make, admin, member):
    volume.services.clients.keystone = Keystone(member.project)
    mine = make()
    path = f"/default-types/{member.project}"
    how = {"who": admin, "version": "3.62"}
    assert volume.get(path, **how).status == 404
    assert volume.put(path, {"default_type": {"volume_type": "none"}}, **how).status == 400
    assert volume.put("/default-types/abc", {"default_type": {"volume_type": "gold"}}, **how).status == 404
    shown = {"project_id": member.project, "volume_type_id": mine}
    assert volume.put(path, {"default_type": {"volume_type": "gold"}}, **how).body == {"default_type": shown}
    assert volume.get("/default-types", **how).body == {"default_types": [shown]}
    assert volume.post("/volumes", {"volume": {"size": 1}}).body["volume"]["volume_type"] == "gold"
    assert volume.delete(f"/types/{mine}", who=admin).status == 400
    assert volume.delete(path, **how).status == 204
    assert volume.db.read(types.defaults) == []
    assert volume.get("/default-types", who=member, version="3.62").status == 403
    assert volume.get("/default-types", who=admin, version="3.61").status == 404
