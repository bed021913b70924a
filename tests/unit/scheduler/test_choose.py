"""Placing servers: order, filters, alternates, all or nothing."""

import pytest
from fakes.placement import FakePlacement

from keel_common import config
from keel_common.clients.errors import Unreachable
from keel_scheduler.compute.choose import Chooser, NoValidHost
from keel_scheduler.compute.hosts import HostState
from keel_scheduler.compute.request import Destination, Group, Request

REQUEST = Request(project_id="p", user_id="u", vcpus=1, memory_mb=512, root_gb=1)


class World:
    """Hosts as the database would tell them."""

    def __init__(self, oldest=74, **facts):
        self.oldest = oldest
        self.facts = facts

    def oldest_compute(self):
        return self.oldest

    def host_states(self, uuids, cell_uuid, with_servers):
        found = [host(name, **facts) for name, facts in self.facts.items()]
        return [state for state in found if state.uuid in uuids and cell_uuid in (None, state.cell_uuid)]

    def nodes(self, wanted, node):
        return [f"uuid-{name}" for name in self.facts if name in (wanted, node)]

    def aggregates(self):
        return [
            {"uuid": "agg", "metadata": {"availability_zone": "west"}, "hosts": {"b"}},
            {"uuid": "other", "metadata": {}, "hosts": {"a"}},
        ]


def host(name, ram=4096, up=True, disabled=False, instances=(), **more):
    return HostState(
        host=name,
        node=name,
        uuid=f"uuid-{name}",
        cell_uuid=more.pop("cell", "cell1"),
        up=up,
        disabled=disabled,
        free_ram_mb=ram,
        free_disk_mb=102400,
        vcpus_total=8,
        vcpus_used=0,
        cpu_allocation_ratio=1.0,
        hypervisor_type="KubeVirt",
        hypervisor_version=1009000,
        supported_instances=[["x86_64", "kvm", "hvm"]],
        stats={},
        instances=set(instances),
        **more,
    )


@pytest.fixture
def choose():
    def build(world, rooms, filters=None, **options):
        conf = config.load("compute", [])
        if filters:
            conf.set_override("enabled_filters", filters, "filter_scheduler")
        for name, value in options.items():
            conf.set_override(name, value, "scheduler")
        placement = FakePlacement({f"uuid-{name}": room for name, room in rooms.items()})
        return Chooser(conf, world, placement), placement

    return build


def names(rows):
    return [[pick.host.host for pick in row] for row in rows]


def test_the_host_with_most_free_memory_is_taken_and_the_others_are_alternates(choose):
    chooser, placement = choose(World(a={}, b={"ram": 8192}, c={"ram": 1024}), {"a": 1, "b": 1, "c": 1})
    assert names(chooser.select(REQUEST, ["i1"], alternates=True)) == [["b", "a", "c"]]
    assert placement.held == {"i1": "uuid-b"}


@pytest.mark.parametrize(("oldest", "asked"), [(0, False), (72, False), (73, True), (74, True)])
def test_providers_of_nova_are_asked_for_when_every_compute_marks_its_own(choose, oldest, asked):
    chooser, placement = choose(World(oldest=oldest, a={}), {"a": 1})
    chooser.select(REQUEST, ["i1"], alternates=False)
    (query,) = placement.queries
    assert ("OWNER_NOVA" in query["root_required"]) == asked and "!COMPUTE_STATUS_DISABLED" in query["root_required"]


def test_no_alternates_unless_asked_for(choose):
    chooser, _ = choose(World(a={}, b={}), {"a": 1, "b": 1})
    assert len(chooser.select(REQUEST, ["i1"], alternates=False)[0]) == 1


def test_alternates_end_at_max_attempts(choose):
    chooser, _ = choose(World(a={}, b={}, c={}), {"a": 1, "b": 1, "c": 1}, max_attempts=2)
    assert len(chooser.select(REQUEST, ["i1"], alternates=True)[0]) == 2


def test_several_servers_spread_as_room_is_consumed(choose):
    chooser, placement = choose(World(a={}, b={"ram": 4500}), {"a": 2, "b": 2})
    assert [row[0].host.host for row in chooser.select(REQUEST, ["i1", "i2"], alternates=False)] == ["b", "a"]


def test_all_claims_are_given_back_when_one_server_fits_nowhere(choose):
    chooser, placement = choose(World(a={}), {"a": 1})
    with pytest.raises(NoValidHost):
        chooser.select(REQUEST, ["i1", "i2"], alternates=False)
    assert placement.held == {}
    assert placement.rooms == {"uuid-a": 1}


def test_refusal_counts_the_hosts_left_after_each_filter(choose):
    chooser, _ = choose(World(a={"up": False}, b={"disabled": True}), {"a": 1, "b": 1})
    with pytest.raises(NoValidHost) as refusal:
        chooser.select(REQUEST, ["i1"], alternates=False)
    assert "ComputeFilter 2 -> 0" in str(refusal.value)
    assert refusal.value.message == "No valid host was found. There are not enough hosts available."


def test_placement_away_is_no_valid_host(choose):
    chooser, placement = choose(World(a={}), {"a": 1})
    placement.raises = Unreachable(0, "refused", "placement")
    with pytest.raises(NoValidHost, match="Placement could not be asked"):
        chooser.select(REQUEST, ["i1"], alternates=False)


def test_anti_affinity_keeps_members_apart(choose):
    chooser, _ = choose(World(a={"instances": ["m1"]}, b={"ram": 1024}), {"a": 1, "b": 1})
    group = Group(policy="anti-affinity", hosts=frozenset({"a"}), members=frozenset({"m1"}))
    request = Request(project_id="p", user_id="u", vcpus=1, memory_mb=512, root_gb=1, group=group)
    assert names(chooser.select(request, ["i1"], alternates=False)) == [["b"]]


def test_affinity_keeps_members_together(choose):
    chooser, _ = choose(World(a={"instances": ["m1"]}, b={"ram": 9000}), {"a": 1, "b": 1})
    group = Group(policy="affinity", hosts=frozenset({"a"}), members=frozenset({"m1"}))
    request = Request(project_id="p", user_id="u", vcpus=1, memory_mb=512, root_gb=1, group=group)
    assert names(chooser.select(request, ["i1"], alternates=False)) == [["a"]]


def test_a_forced_host_skips_the_filters_and_is_the_only_tree_asked_for(choose):
    chooser, placement = choose(World(a={}, b={"disabled": True}), {"a": 1, "b": 1})
    request = Request(project_id="p", user_id="u", vcpus=1, memory_mb=512, root_gb=1, force_hosts=("b",))
    assert names(chooser.select(request, ["i1"], alternates=True)) == [["b"]]
    assert placement.queries[0]["in_tree"] == "uuid-b"


def test_an_unknown_requested_host_is_refused_before_placement_is_asked(choose):
    chooser, placement = choose(World(a={}), {"a": 1})
    request = Request(
        project_id="p", user_id="u", vcpus=1, memory_mb=512, root_gb=1, destination=Destination(host="nowhere")
    )
    with pytest.raises(NoValidHost, match="nowhere"):
        chooser.select(request, ["i1"], alternates=False)
    assert placement.queries == []


def test_a_zone_becomes_the_aggregates_that_make_it(choose):
    chooser, placement = choose(World(a={}, b={}), {"a": 1, "b": 1})
    request = Request(project_id="p", user_id="u", vcpus=1, memory_mb=512, root_gb=1, availability_zone="west")
    chooser.select(request, ["i1"], alternates=False)
    assert placement.queries[0]["member_of"] == "in:agg"


def test_same_host_and_different_host_hints(choose):
    world = World(a={"instances": ["x"]}, b={})
    chooser, _ = choose(world, {"a": 1, "b": 1}, filters=["SameHostFilter", "DifferentHostFilter"])
    near = Request(project_id="p", user_id="u", vcpus=1, memory_mb=1, root_gb=1, hints={"same_host": ["x"]})
    far = Request(project_id="p", user_id="u", vcpus=1, memory_mb=1, root_gb=1, hints={"different_host": ["x"]})
    assert names(chooser.select(near, ["i1"], alternates=False)) == [["a"]]
    assert names(chooser.select(far, ["i2"], alternates=False)) == [["b"]]


def test_an_unknown_filter_stops_the_start_and_names_those_there_are(choose):
    with pytest.raises(ValueError, match="NoSuchFilter is not available; known: AllHostsFilter"):
        choose(World(), {}, filters=["NoSuchFilter"])
