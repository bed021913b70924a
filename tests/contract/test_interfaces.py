"""The declared RPC methods equal the recorded ones: names, arguments, versions, topics, modes, for every pin."""

import pytest

from keel_contract import errors, goldens, versions
from keel_contract.cinder import interfaces as cinder
from keel_contract.interface import REQUIRED, incoming, outgoing
from keel_contract.nova import interfaces as nova

INTERFACES = {
    ("nova", "base"): nova.BASE,
    ("nova", "conductor"): nova.CONDUCTOR,
    ("nova", "compute_task"): nova.COMPUTE_TASK,
    ("nova", "scheduler"): nova.SCHEDULER,
    ("nova", "compute"): nova.COMPUTE,
    ("cinder", "scheduler"): cinder.SCHEDULER,
    ("cinder", "volume"): cinder.VOLUME,
    ("cinder", "backup"): cinder.BACKUP,
}
IN_GOLDEN = {"base": "baseapi"}
EVERY = [pytest.param(suite, i, id=f"{suite}-{name}") for (suite, name), i in INTERFACES.items()]

# Recorded sends to peers that no supported release has: our client refuses them with PeerTooOld.
REFUSED = {
    ("nova", "select_destinations"): "4.3",
    ("nova", "build_instances"): "1.10",
    ("nova", "prep_resize"): "5.1",
}


def server_of(suite, interface):
    return goldens.load(suite, "methods")["server"][IN_GOLDEN.get(interface.name, interface.name)]


@pytest.mark.parametrize(("suite", "interface"), EVERY)
def test_server_side_declares_exactly_the_recorded_methods(suite, interface):
    recorded = server_of(suite, interface)
    assert interface.version == recorded["version"]
    assert interface.namespace == recorded["namespace"]
    assert set(interface.topics) == set(recorded["topics"])
    assert set(interface.methods) == set(recorded["methods"])


@pytest.mark.parametrize(("suite", "interface"), EVERY)
def test_server_side_takes_exactly_the_recorded_arguments(suite, interface):
    for name, recorded in server_of(suite, interface)["methods"].items():
        declared = {arg.name: arg for arg in interface.methods[name].args if arg.until is None}
        older_names = {arg.below.name for arg in declared.values() if arg.below.name}
        recorded = {arg: how for arg, how in recorded.items() if arg not in older_names}
        if name == "select_destinations":  # the forms of four old versions, see REFUSED
            recorded = {"spec_obj": "required", **recorded}
            recorded = {arg: how for arg, how in recorded.items() if arg not in ("request_spec", "filter_properties")}
        assert set(declared) == set(recorded), name
        for arg, how in recorded.items():
            if how != "required":
                assert declared[arg].default is not REQUIRED or name == "select_destinations", (name, arg)


def test_old_computes_are_understood_as_the_recorded_proxy_does():
    proxy = goldens.load("nova", "methods")["server"]["compute_v5"]
    assert nova.COMPUTE.older == (proxy["version"],)
    for name, recorded in proxy["methods"].items():
        args = incoming(nova.COMPUTE.methods[name], {arg: arg for arg in recorded})
        assert set(args) == {a.name for a in nova.COMPUTE.methods[name].args if a.until is None}


def sends(suite):
    for full_name, branches in goldens.load(suite, "methods")["client"].items():
        interface_name, _, method = full_name.partition(".")
        for branch in branches:
            for cap in caps_of(branch["caps"]):
                yield pytest.param(
                    suite, INTERFACES[suite, interface_name], method, branch, cap, id=f"{full_name}@{cap}"
                )


def caps_of(caps):
    found = [caps["lowest"], caps["highest"]]
    if caps.get("no_cap"):
        found.append(None)
    return list(dict.fromkeys(found))


def given_to(method, branch):
    """Arguments as a caller would give them for the recorded case."""
    cases = branch["when"] or {}
    cases = cases[0] if isinstance(cases, list) else cases
    given = {arg.name: f"<{arg.name}>" for arg in method.args if arg.default is REQUIRED}
    for name, value in cases.items():
        if name in {arg.name for arg in method.args}:
            given[name] = {"given": "<x>", "not given": None}.get(value, value)
    if branch.get("args"):
        given |= {arg.name: f"<{arg.name}>" for arg in method.args if arg.until and arg.name in branch["args"]}
    if method.name in ("retype", "migrate_volume") and "host" in given:
        given["host"] = {"host": "h", "cluster_name": "c"}
    return given


@pytest.mark.parametrize(("suite", "interface", "method", "branch", "cap"), [*sends("nova"), *sends("cinder")])
def test_client_side_sends_what_a_real_client_sends(suite, interface, method, branch, cap):
    declared = interface.method(method)
    if cap is not None and versions.older(cap, REFUSED.get((suite, method), "0.0")):
        with pytest.raises(errors.PeerTooOld):
            interface.level(declared, cap)
        return
    if "raises" in branch:
        with pytest.raises(errors.PeerTooOld):
            outgoing(declared, interface.level(declared, cap), given_to(declared, branch))
        return
    level = interface.level(declared, cap)
    assert level.version == branch["version"]
    assert (level.method or declared.name) == branch["method"]
    assert sorted(outgoing(declared, level, given_to(declared, branch))) == branch["args"]
    assert branch["mode"] == level.mode or branch["mode"] in declared.modes
    assert declared.fanout == branch.get("fanout", False)
    if suite == "nova":
        assert declared.long == branch.get("long", False) or len(declared.modes) > 1
        if "topic" in branch:
            assert (level.topic or interface.topics[0]) == branch["topic"]
        return
    topic, server = level.topic or interface.topics[0], branch["server"]
    if interface.address is not None and server is not None:
        assert interface.address(topic, "hostA@backend1#pool1", cap) == (branch["topic"], server)


def test_undeclared_argument_is_refused():
    method = nova.COMPUTE.method("start_instance")
    with pytest.raises(errors.BadArguments):
        outgoing(method, method.levels[0], {"instance": 1, "colour": "red"})
    with pytest.raises(errors.BadArguments):
        incoming(method, {"instance": 1, "colour": "red"})


def test_missing_argument_is_refused():
    method = nova.COMPUTE.method("detach_volume")
    with pytest.raises(errors.BadArguments):
        outgoing(method, method.levels[0], {"instance": 1})
    with pytest.raises(errors.BadArguments):
        incoming(method, {"instance": 1})


def test_destination_of_an_old_volume_service_loses_the_cluster():
    method = cinder.VOLUME.method("retype")
    wire = outgoing(
        method,
        cinder.VOLUME.level(method, "3.4"),
        {"volume": 1, "new_type_id": "t", "host": {"host": "h", "cluster_name": "c", "capabilities": {}}},
    )
    assert wire["host"] == {"host": "h", "capabilities": {}}
