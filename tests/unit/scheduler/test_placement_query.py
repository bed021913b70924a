"""The query to Placement equals the recorded one of nova 34.0.0, case by case."""

import json
from pathlib import Path

import pytest

from keel_contract.nova import objects
from keel_scheduler.compute.query import Unsupported, placement_query
from keel_scheduler.compute.request import Destination, Request

RECORDED = {
    row["case"]: row["query"] for row in json.loads((Path(__file__).parent / "placement_queries.json").read_text())
}
NODE = "99999999-9999-4999-8999-999999999999"
PORT = "cccccccc-cccc-4ccc-8ccc-cccccccccccc"


def flavor(**changes):
    base = {"project_id": "p", "user_id": "u", "vcpus": 2, "memory_mb": 2048, "root_gb": 20}
    return Request(**(base | changes))


def specs(**values):
    return flavor(extra_specs={key.replace("__", ":"): value for key, value in values.items()})


CASES = {
    "plain flavor 2 vcpu 2048 MB 20 GB": (flavor(), {}),
    "boot from volume": (flavor(is_bfv=True), {}),
    "swap 1024 MB ephemeral 10": (flavor(swap_mb=1024, ephemeral_gb=10), {}),
    "hw:cpu_policy dedicated": (specs(hw__cpu_policy="dedicated"), {}),
    "resources override VCPU and custom class": (
        specs(resources__VCPU="0", resources__MEMORY_MB="0", resources__DISK_GB="0", resources__CUSTOM_BAREMETAL="1"),
        {},
    ),
    "traits required and forbidden": (specs(trait__HW_CPU_X86_AVX2="required", trait__CUSTOM_X="forbidden"), {}),
    "image traits": (flavor(image={"traits_required": ["HW_CPU_X86_VMX"]}), {}),
    "granular groups": (
        flavor(
            extra_specs={
                "resources1:VGPU": "1",
                "resources2:VGPU": "1",
                "trait1:CUSTOM_GPU": "required",
                "group_policy": "isolate",
            }
        ),
        {},
    ),
    "port resource request group": (
        flavor(
            groups=(
                objects.RequestGroup(
                    requester_id=PORT,
                    resources={"NET_BW_EGR_KILOBIT_PER_SEC": 1000},
                    required_traits={"CUSTOM_PHYSNET_PHYSNET0", "CUSTOM_VNIC_TYPE_NORMAL"},
                ),
            )
        ),
        {},
    ),
    "secure boot": (specs(os__secure_boot="required"), {}),
    "requested destination host1 (in_tree)": (flavor(), {"in_tree": NODE}),
    "destination aggregates (A or B) and C, forbidden D": (flavor(), {"aggregates": ["in:A,B", "in:C", "!in:D"]}),
    "scheduler hint group: no limit": (flavor(hints={"group": ["g"]}), {}),
}


@pytest.mark.parametrize("case", CASES)
def test_query_is_the_recorded_one(case):
    request, more = CASES[case]
    pairs = placement_query(request, limit=1000, root_required={"OWNER_NOVA"}, **more)
    assert sorted(f"{key}={value}" for key, value in pairs) == sorted(RECORDED[case])


def test_mixed_cpus_are_refused_in_words():
    with pytest.raises(Unsupported, match="mixed"):
        placement_query(specs(hw__cpu_policy="mixed"), limit=1)


def test_a_request_spec_object_is_read_with_what_it_has():
    spec = objects.RequestSpec(
        project_id="p",
        user_id="u",
        flavor=objects.Flavor(vcpus=1, memory_mb=64, root_gb=1, ephemeral_gb=0, swap=0, extra_specs={"a": "b"}),
        ignore_hosts=["Node-1"],
        requested_destination=objects.Destination(host="node-2"),
        scheduler_hints={"same_host": ["x"]},
    )
    request = Request.from_spec(spec)
    assert request.ignore_hosts == frozenset({"node-1"})
    assert request.destination == Destination(host="node-2")
    assert (request.vcpus, request.disk_gb, request.extra_specs) == (1, 1, {"a": "b"})
    assert request.hints == {"same_host": ["x"]}
    assert request.group is None
