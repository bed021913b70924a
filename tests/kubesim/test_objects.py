"""Names, versions, generations, lists, finalizers, owners."""

from __future__ import annotations


def config_map(name: str, **metadata) -> dict:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"a": "1"}}


def test_versions_grow_and_a_change_without_effect_does_not_count(client):
    first = client.made("configmaps", config_map("one"))
    second = client.made("configmaps", config_map("two"))
    assert int(second["metadata"]["resourceVersion"]) > int(first["metadata"]["resourceVersion"])
    same = client.patch("configmaps", "one", {"data": {"a": "1"}}).json()
    assert same["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


def test_generation_counts_spec_changes_only(client, machine):
    client.made("virtualmachines", machine())
    assert (
        client.patch("virtualmachines", "vm1", {"metadata": {"labels": {"x": "y"}}}).json()["metadata"]["generation"]
        == 1
    )
    changed = client.patch("virtualmachines", "vm1", {"spec": {"template": {"spec": {"hostname": "h"}}}}).json()
    assert changed["metadata"]["generation"] == 2


def test_the_main_endpoint_ignores_status_and_the_status_endpoint_ignores_spec(client, machine):
    client.made("virtualmachines", machine())
    kept = client.patch("virtualmachines", "vm1", {"status": {"ready": True}}).json()
    assert "ready" not in kept.get("status", {})
    answer = client.patch(
        "virtualmachines", "vm1/status", {"status": {"created": True}, "spec": {"runStrategy": "Always"}}
    )
    assert answer.status_code == 200
    assert answer.json()["spec"]["runStrategy"] == "Manual"


def test_instances_have_no_status_endpoint(client, running):
    running()
    assert client.get("virtualmachineinstances", "vm1/status").text.strip() == "404 page not found"


def test_generated_names_have_five_characters_more(client):
    body = config_map("")
    body["metadata"] = {"generateName": "made-"}
    made = client.made("configmaps", body)
    assert made["metadata"]["name"].startswith("made-") and len(made["metadata"]["name"]) == 10
    assert made["metadata"]["generateName"] == "made-"


def test_a_dry_run_answers_as_real_and_stores_nothing(client, machine):
    answer = client.create("virtualmachines", machine(), dryRun="All")
    assert answer.status_code == 201 and answer.json()["metadata"]["uid"]
    assert answer.json()["spec"]["template"]["spec"]["domain"]["firmware"]["uuid"]
    assert client.get("virtualmachines", "vm1").status_code == 404


def test_recreation_gives_a_new_uid(client):
    first = client.made("configmaps", config_map("one"))
    answer = client.delete("configmaps", "one").json()
    assert answer["status"] == "Success"
    assert answer["details"] == {"name": "one", "kind": "configmaps", "uid": first["metadata"]["uid"]}
    assert client.made("configmaps", config_map("one"))["metadata"]["uid"] != first["metadata"]["uid"]


def test_lists_page_through_one_snapshot(client):
    for number in range(5):
        client.made("configmaps", config_map(f"c{number}"))
    page = client.get("configmaps", limit=2).json()
    assert page["kind"] == "ConfigMapList" and page["metadata"]["remainingItemCount"] == 3
    assert "kind" not in page["items"][0]
    client.made("configmaps", config_map("c15"))
    rest = client.get("configmaps", limit=10, **{"continue": page["metadata"]["continue"]}).json()
    assert [item["metadata"]["name"] for item in rest["items"]] == ["c2", "c3", "c4"]
    assert rest["metadata"]["resourceVersion"] == page["metadata"]["resourceVersion"]
    client.sim_call("POST", "compaction")
    gone = client.get("configmaps", limit=10, **{"continue": page["metadata"]["continue"]})
    assert gone.status_code == 410 and gone.json()["reason"] == "Expired"
    on = client.get("configmaps", limit=10, **{"continue": gone.json()["metadata"]["continue"]}).json()
    assert [item["metadata"]["name"] for item in on["items"]] == ["c15", "c2", "c3", "c4"]
    assert client.get("configmaps", **{"continue": "junk!"}).status_code == 400


def test_a_version_of_the_future_times_out(client):
    answer = client.get("configmaps", resourceVersion="99999999")
    assert answer.status_code == 504
    assert answer.json()["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"


def test_label_and_field_selectors(client):
    for name, tier in (("a", "one"), ("b", "two"), ("c", "")):
        client.made("configmaps", config_map(name, labels={"tier": tier} if tier else {"other": "x"}))

    def names(**query) -> str:
        return "".join(item["metadata"]["name"] for item in client.get("configmaps", **query).json()["items"])

    assert names(labelSelector="tier=one") == "a"
    assert names(labelSelector="tier in (one, two)") == "ab"
    assert names(labelSelector="tier notin (one)") == "bc"
    assert names(labelSelector="!tier") == "c"
    assert names(labelSelector="tier,tier!=two") == "a"
    assert names(fieldSelector="metadata.name=b") == "b"


def test_finalizers_hold_a_deleted_object(client):
    client.made("configmaps", config_map("held", finalizers=["keel.example/hold"]))
    answer = client.delete("configmaps", "held")
    assert answer.status_code == 200
    assert (
        answer.json()["metadata"]["deletionTimestamp"] and answer.json()["metadata"]["deletionGracePeriodSeconds"] == 0
    )
    assert client.delete("configmaps", "held").json()["metadata"] == client.read("configmaps", "held")["metadata"]
    more = client.patch("configmaps", "held", {"metadata": {"finalizers": ["keel.example/hold", "keel.example/more"]}})
    assert more.status_code == 422 and "no new finalizers can be added" in more.json()["message"]
    assert client.patch("configmaps", "held", {"data": {"a": "2"}}).json()["data"] == {"a": "2"}
    client.patch("configmaps", "held", {"metadata": {"finalizers": None}})
    client.wait_gone("configmaps", "held")


def owned(name: str, owner: dict, block: bool = False) -> dict:
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": block,
    }
    return config_map(name, ownerReferences=[reference])


def test_dependents_follow_their_owner_in_the_background(client):
    owner = client.made("configmaps", config_map("owner"))
    client.made("configmaps", owned("child", owner))
    client.delete("configmaps", "owner")
    client.wait_gone("configmaps", "child")


def test_foreground_deletion_waits_for_the_dependents(client):
    owner = client.made("configmaps", config_map("owner"))
    child = owned("child", owner, block=True)
    child["metadata"]["finalizers"] = ["keel.example/hold"]
    client.made("configmaps", child)
    answer = client.delete("configmaps", "owner", propagationPolicy="Foreground")
    assert answer.json()["metadata"]["finalizers"] == ["foregroundDeletion"]
    client.wait(lambda: client.read("configmaps", "child")["metadata"].get("deletionTimestamp"))
    assert client.get("configmaps", "owner").status_code == 200
    client.patch("configmaps", "child", {"metadata": {"finalizers": None}})
    client.wait_gone("configmaps", "owner")


def test_orphans_stay_without_their_owner(client):
    owner = client.made("configmaps", config_map("owner"))
    client.made("configmaps", owned("child", owner))
    client.delete("configmaps", "owner", propagationPolicy="Orphan")
    client.wait_gone("configmaps", "owner")
    assert "ownerReferences" not in client.read("configmaps", "child")["metadata"]


def test_a_dependent_of_an_owner_that_never_was_is_collected(client):
    ghost = {"metadata": {"name": "ghost", "uid": "00000000-0000-0000-0000-000000000000"}}
    client.made("configmaps", owned("child", ghost))
    client.wait_gone("configmaps", "child")


def test_a_namespace_takes_its_content_along(client):
    client.made("configmaps", config_map("one"))
    client.delete("namespaces", client.namespace)
    refused = client.create("configmaps", config_map("late"))
    assert refused.status_code in (403, 404)
    client.wait_gone("namespaces", client.namespace)
    client.made("namespaces", {"metadata": {"name": client.namespace}})


def test_secrets_take_plain_strings_and_refuse_what_is_not_base64(client):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"userdata": "hello"}}
    made = client.made("secrets", secret)
    assert made["data"] == {"userdata": "aGVsbG8="} and "stringData" not in made and made["type"] == "Opaque"
    bad = {**secret, "metadata": {"name": "t"}, "stringData": None, "data": {"x": "###"}}
    assert client.create("secrets", bad).status_code == 400
