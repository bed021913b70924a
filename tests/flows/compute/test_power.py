"""Stop, start, reboot; what a guest does by itself."""

import pytest

from keel_common.kube import VM, VMI
from keel_contract.errors import RemoteFault


@pytest.fixture(scope="module")
def server(world):
    instance = world.instance(image_ref="", system_metadata={})
    world.volume_mapping(instance.uuid, world.volume(), boot_index=0)
    world.build(instance)
    world.reach(instance.uuid, "active")
    return instance.uuid


def stop(world, server):
    world.task(server, "powering-off")
    world.ask("stop_instance", server, clean_shutdown=True)
    return world.reach(server, "stopped")


def start(world, server):
    world.task(server, "powering-on")
    world.ask("start_instance", server)
    return world.reach(server, "active")


def test_stopped_server_has_no_guest_and_starts_again(world, server):
    row = stop(world, server)
    assert row.power_state == 4
    assert world.guest(server) is None
    assert start(world, server).power_state == 1
    assert world.guest(server)["status"]["phase"] == "Running"


def test_hard_reboot_gives_a_new_guest(world, server):
    before = world.guest(server)["metadata"]["uid"]
    world.task(server, "rebooting_hard")
    world.ask("reboot_instance", server, block_device_info=None, reboot_type="HARD")
    world.reach(server, "active")
    assert world.guest(server)["metadata"]["uid"] != before
    assert world.conductor.states[server][-3:] == [
        ("active", "reboot_pending_hard"),
        ("active", "reboot_started_hard"),
        ("active", None),
    ]


def test_soft_reboot_keeps_the_guest(world, server):
    world.until(lambda: _agent(world.guest(server)), "the guest agent answers")
    before = world.guest(server)["metadata"]["uid"]
    world.task(server, "rebooting")
    world.ask("reboot_instance", server, block_device_info=None, reboot_type="SOFT")
    world.reach(server, "active")
    assert world.guest(server)["metadata"]["uid"] == before


def _agent(vmi):
    return any(each["type"] == "AgentConnected" for each in vmi["status"].get("conditions", ()))


def test_hard_reboot_starts_a_server_that_is_off(world, server):
    stop(world, server)
    world.task(server, "rebooting_hard")
    world.ask("reboot_instance", server, block_device_info=None, reboot_type="HARD")
    world.reach(server, "active")
    assert world.guest(server)["status"]["phase"] == "Running"


def test_guest_that_shuts_itself_down_makes_the_server_stopped(world, server):
    world.sim_says(f"guest-events/{world.conf.kubevirt.namespace}/nova-{server}", {"event": "poweroff"})
    world.reach(server, "stopped")
    assert world.row(server).power_state == 4
    start(world, server)


def test_guest_started_behind_the_back_of_nova_is_stopped(world, server):
    stop(world, server)
    world.kube.subresource("PUT", VM, f"nova-{server}", world.conf.kubevirt.namespace, "start", {})
    world.until(lambda: world.guest(server), "the guest runs")
    world.until(lambda: world.guest(server) is None, "the guest is stopped again")
    assert world.row(server).vm_state == "stopped"
    start(world, server)


def test_guest_removed_behind_the_back_of_nova_makes_the_server_stopped(world, server):
    world.kube.delete(VMI, f"nova-{server}", world.conf.kubevirt.namespace)
    world.reach(server, "stopped")
    start(world, server)


def test_operation_that_is_not_built_is_refused_and_leaves_the_server_as_it_was(world, server):
    world.task(server, "suspending")
    assert "suspend_instance is not supported" in world.outcome("suspend_instance", server)
    world.reach(server, "active")
    assert "suspend_instance is not supported" in world.conductor.faults[-1].message


def test_console_output_is_the_log_of_the_guest(world, server):
    text = world.ask("get_console_output", server, tail_length=10)
    assert isinstance(text, str)


def test_console_of_a_server_without_a_guest_is_not_available(world, server):
    stop(world, server)
    with pytest.raises(RemoteFault) as caught:
        world.ask("get_console_output", server, tail_length=10)
    assert caught.value.class_name == "ConsoleNotAvailable"
    start(world, server)
