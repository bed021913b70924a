"""The rules of block storage, without a database."""

import pytest

from keel_common.domain.volume import attachments, hosts, lists, messages, quotas, sizes, states, zones

IDLE = {"status": "in-use", "migration_status": None}


@pytest.mark.parametrize(
    ("remaining", "expected"),
    [
        ([], {"attach_status": "detached", "status": "available"}),
        (["attached"], {"attach_status": "attached", "status": "in-use"}),
        (["attached", "attaching"], {"attach_status": "attached", "status": "in-use"}),
        (["attaching", "reserved"], {"attach_status": "attaching", "status": "attaching"}),
        (["detached", "reserved"], {"attach_status": "detached", "status": "available"}),
        (["error_attaching"], {"attach_status": "detached", "status": "available"}),
        (["error_detaching", "reserved"], {"attach_status": "reserved", "status": "reserved"}),
        (["deleted", "reserved"], {"attach_status": "deleted", "status": "deleted"}),
    ],
)
def test_the_first_word_in_alphabetical_order_wins(remaining, expected):
    assert attachments.volume_state_after_detach(IDLE, remaining) == expected


@pytest.mark.parametrize("status", ["in-use", "uploading", "detaching"])
@pytest.mark.parametrize("migration", [None, "migrating", "success", "error", "completing"])
def test_what_somebody_else_owns_keeps_its_status(status, migration):
    volume = {"status": status, "migration_status": migration}
    assert attachments.volume_state_after_detach(volume, ["attached"])["status"] == "in-use"
    owned = migration in ("migrating", "completing") or (migration is None and status == "uploading")
    values = attachments.volume_state_after_detach(volume, [])
    assert ("status" not in values) is owned


@pytest.mark.parametrize(
    ("instance", "info", "needed"),
    [(None, {"a": 1}, False), ("i", {}, False), ("i", None, False), ("i", "{}", False), ("i", {"a": 1}, True)],
)
def test_only_connected_attachments_of_servers_are_guarded(instance, info, needed):
    assert attachments.needs_service_token({"instance_uuid": instance, "connection_info": info}) is needed


def test_any_readonly_mark_makes_attachments_readonly():
    assert attachments.mode_of_new_attachment("rw", "False") == "ro"
    assert attachments.mode_of_new_attachment("rw", None) == "rw"
    assert attachments.mode_of_new_attachment(None, None) == "null"


def test_names_of_pools_fall_apart():
    assert hosts.split("h@b#p") == ("h", "b", "p")
    assert hosts.split("h") == ("h", None, None)
    assert hosts.destination({"cluster_name": None, "host": "h@b#p"}) == "h@b"
    assert hosts.destination({"cluster_name": "c@b", "host": "h@b#p"}) == "c@b"


def test_what_an_operation_takes_from_quota():
    assert quotas.create_volume(3, "gold") == {"volumes": 1, "gigabytes": 3, "volumes_gold": 1, "gigabytes_gold": 3}
    assert quotas.delete_volume(3, None) == {"volumes": -1, "gigabytes": -3}
    assert quotas.create_snapshot(3, None, False) == {"snapshots": 1}
    assert quotas.delete_snapshot(3, None, True) == {"snapshots": -1, "gigabytes": -3}


def test_a_full_quota_names_what_is_full():
    usage = {"volumes": quotas.Usage(1, 1), "gigabytes": quotas.Usage(0, 0)}
    quotas.check({"volumes": 1, "gigabytes": 1}, {"volumes": 3, "gigabytes": -1}, usage)
    with pytest.raises(quotas.OverQuota) as full:
        quotas.check({"volumes": 2, "gigabytes": 9}, {"volumes": 3, "gigabytes": 8}, usage)
    assert full.value.overs == ["gigabytes", "volumes"]
    quotas.check({"volumes": -1}, {"volumes": 0}, usage)
    with pytest.raises(quotas.UsageOverflow):
        quotas.check({"gigabytes": quotas.MAX_INT + 1}, {}, usage)


@pytest.mark.parametrize(
    ("over", "resource", "name"),
    [
        ("volumes_gold", "volumes", "VolumeLimitExceeded"),
        ("gigabytes", "volumes", "VolumeSizeExceedsAvailableQuota"),
        ("gigabytes_gold", "snapshots", "VolumeSizeExceedsAvailableQuota"),
        ("snapshots", "snapshots", "SnapshotLimitExceeded"),
        ("backup_gigabytes", "backups", "VolumeBackupSizeExceedsAvailableQuota"),
        ("groups", "volumes", "UnexpectedOverQuota"),
    ],
)
def test_the_class_of_a_413(over, resource, name):
    assert quotas.fault_class(over, resource) == name


KNOWN = ["nova", "two"]


def choose(asked=None, source=None, group=None, of_type=(), **how):
    options = {"default": None, "storage_default": "nova", "fallback": False, "same_as_source": True, **how}
    return zones.choose(asked, source, group, of_type, KNOWN, **options)


def test_zones_follow_the_wishes_in_order():
    assert choose() == ["nova"]
    assert choose(default="two") == ["two"]
    assert choose("two") == ["two"]
    assert choose(None, "two") == ["two"]
    assert choose("nova", group="two") == ["two"]
    assert choose(of_type=["two", "nova"]) == ["two", "nova"]
    assert choose("mars", fallback=True) == ["nova"]
    assert choose("nova", "two", same_as_source=False) == ["nova"]


@pytest.mark.parametrize(
    "how",
    [{"asked": "mars"}, {"asked": "nova", "of_type": ["two"]}, {"asked": "nova", "source": "two"}, {"of_type": ["x"]}],
)
def test_zones_that_are_refused(how):
    with pytest.raises(zones.ZoneRefused):
        choose(**how)


def test_images_have_to_fit():
    image = {"id": "i", "status": "active", "size": 2 * sizes.GIB + 1, "min_disk": 1}
    assert sizes.image_refusal(image, 3) is None
    assert sizes.image_refusal(image, 2)
    assert sizes.image_refusal({**image, "status": "queued"}, 3)
    assert sizes.image_refusal({**image, "min_disk": 4}, 3)
    assert sizes.image_refusal({**image, "virtual_size": 4 * sizes.GIB}, 3)


def test_transitions_name_known_states():
    known = {
        "volumes": {*states.VOLUME_STATUSES, "reverting"},
        "snapshots": set(states.SNAPSHOT_STATUSES),
        "backups": set(states.BACKUP_STATUSES),
        "groups": set(states.GROUP_STATUSES),
        "group_snapshots": set(states.GROUP_SNAPSHOT_STATUSES),
    }
    for transition in states.TRANSITIONS.values():
        mentioned = {*transition.expected.get("status", ()), transition.values.get("status")} - {None}
        assert mentioned <= known[transition.table], transition.name


def test_a_transition_can_be_narrowed_to_the_value_that_was_read():
    forced = states.TRANSITIONS["backup forced"]
    assert forced.from_seen({"status": "in-use"}).expected == {"status": ("in-use",)}
    assert forced.from_seen({"status": "error"}).expected == {"status": ()}


def test_a_forced_transition_drops_a_guard():
    assert "status" not in states.TRANSITIONS["delete"].without("status").expected
    assert states.TRANSITIONS["delete"].expected["migration_status"] == states.SETTLED_MIGRATION


def test_values_of_filters_read_like_literals():
    found = lists.filters(lists.VOLUMES, {"size": "[1, 2]", "name": "12", "limit": "1"}, (3, 71), True, ())
    assert found == {"size": [1, 2], "display_name": "12"}


def test_keys_come_with_their_version():
    ask = lambda version: lists.filters(lists.VOLUMES, {"group_id": "g", "consumes_quota": "true"}, version, True, ())  # noqa: E731
    assert ask((3, 9)) == {"consumes_quota": "true"}  # no column: it matches nothing
    assert ask((3, 31)) == {"group_id": "g"}
    assert ask((3, 65)) == {"group_id": "g", "use_quota": True}


def test_keys_that_are_not_ascii_are_refused():
    with pytest.raises(lists.ListRefused):
        lists.filters(lists.VOLUMES, {"größe": "1"}, (3, 0), True, ())


def test_every_message_has_words():
    for number, _ in messages.ACTIONS.values():
        for detail, _ in messages.DETAILS.values():
            assert "unknown" not in messages.user_message(number, detail).partition(":")[0]
    assert messages.detail_id(exception_name="NoValidBackend") == "003"
    assert messages.detail_id(exception_name="KeyError") == "001"
