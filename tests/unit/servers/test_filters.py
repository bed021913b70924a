from datetime import datetime

import pytest

from keel_common import patterns
from keel_common.domain.server.filters import Condition, Selection, compile_selection, matches, permitted, sorting

COLUMNS = frozenset({"display_name", "vm_state", "image_ref", "host", "project_id", "updated_at", "key_name"})


def test_filters_a_user_may_not_use_are_dropped_silently():
    query = {"name": "a", "host": "h", "_x": "1", "metadata": "{}", "limit": "3"}
    assert permitted(query, (2, 1), all_filters=False) == {"name": "a"}


def test_an_administrator_is_told_about_keys_nobody_can_filter_by():
    with pytest.raises(ValueError, match="_x, metadata"):
        permitted({"_x": "1", "metadata": "{}"}, (2, 1), all_filters=True)


def test_the_microversion_opens_filters():
    assert permitted({"key_name": "k"}, (2, 82), False) == {}
    assert permitted({"key_name": "k"}, (2, 83), False) == {"key_name": "k"}


def test_exact_keys_compare_and_other_keys_are_patterns():
    selection = compile_selection(
        {"name": "w.b", "image": "i", "vm_state": ["active"], "no_column": 1}, COLUMNS, False, False
    )
    assert selection.conditions == (
        Condition("regex", "display_name", "w.b"),
        Condition("eq", "image_ref", "i"),
        Condition("in", "vm_state", ("active",)),
    )


def test_a_build_request_is_tested_by_the_same_conditions():
    server = {
        "display_name": "web-1",
        "tags": ["blue", "big"],
        "created_at": datetime(2026, 1, 2),
        "updated_at": None,
        "network_info": [{"network": {"subnets": [{"ips": [{"address": "10.0.0.5", "version": 4}]}]}}],
    }

    def found(*conditions, deleted=False):
        return matches(server, Selection(conditions, deleted), patterns.found)

    assert found(Condition("regex", "display_name", "^web"))
    assert not found(Condition("regex", "display_name", "^db"))
    assert found(Condition("tag", "tags", ("blue",))) and not found(Condition("tag", "tags", ("blue", "red")))
    assert found(Condition("tag", "tags-any", ("blue", "red"))) and not found(
        Condition("tag", "not-tags-any", ("big",))
    )
    assert found(Condition("since", "updated_at", datetime(2026, 1, 1)))
    assert not found(Condition("before", "updated_at", datetime(2026, 1, 1)))
    assert found(Condition("address", "ip", "^10")) and not found(Condition("address", "ip6", "^10"))
    assert not found(deleted=True)


def test_sorting_ends_in_a_total_order():
    assert sorting([], [], (2, 1)) == [("created_at", "desc"), ("id", "desc"), ("uuid", "desc")]
    assert sorting(["display_name", "vcpus", "uuid"], ["asc"], (2, 1)) == [
        ("display_name", "asc"),
        ("uuid", "asc"),
        ("created_at", "asc"),
        ("id", "asc"),
    ]
    assert ("locked", "asc") in sorting(["locked"], ["asc"], (2, 73))
    assert ("locked", "asc") not in sorting(["locked"], ["asc"], (2, 72))


@pytest.mark.parametrize(("keys", "dirs"), [([], ["asc"]), (["uuid"], ["up"])])
def test_a_wrong_sort_is_refused(keys, dirs):
    with pytest.raises(ValueError, match="^Invalid input received"):
        sorting(keys, dirs, (2, 1))
