"""keel-status pins: what is sent, who holds it down, what raising it needs."""

import pytest
from fakes.deployment import API, Deployment

from keel_common.db import CELL0, add


@pytest.fixture
def bare(tmp_path, capsys):
    return Deployment(tmp_path, capsys)


@pytest.fixture
def cloud(bare):
    bare.map("cell0", CELL0)
    bare.map("cell1", "cell1-uuid")
    bare.map("cell2", "cell2-uuid")
    return bare


AUTO = "[upgrade_levels]\ncompute = auto"


def test_every_topic_has_a_line_and_a_new_fleet_is_at_its_newest(cloud):
    cloud.service("cell1", "c1", 74)
    code, pins, found = cloud.pins("nova")
    assert code == 0
    assert {topic: (line["pin"], line["newest"]) for topic, line in pins.items()} == {
        "compute": ("6.5", "6.5"),
        "conductor": ("3.0", "3.0"),
        "compute_task": ("1.26", "1.26"),
        "scheduler": ("4.5", "4.5"),
        "base": ("1.1", "1.1"),
    }
    assert found["release"] == "34 (Hibiscus)"
    assert found["start_refused"] is None


def test_whoever_holds_a_pin_down_is_told_oldest_first_with_what_raising_needs(cloud):
    cloud.configure(AUTO)
    cloud.service("cell1", "new", 74)
    cloud.service("cell2", "older", 68)
    cloud.service("cell1", "old", 70)
    cloud.service("cell1", "away", 60, forced_down=True)
    code, pins, found = cloud.pins("nova")
    line = pins["compute"]
    assert code == 0
    assert (line["pin"], line["set_by"]) == ("6.4", "[upgrade_levels]compute = auto")
    told = [(one["host"], one["version"], one["release"], one["cell"], one["speaks"]) for one in line["held_by"]]
    assert told == [("older", "68", "Epoxy", "cell2", "6.4"), ("old", "70", "Flamingo", "cell1", "6.4")]
    assert "Gazpacho (2026.1, nova 33)" in line["raising"] and "SIGHUP" in line["raising"]
    assert "older" in found["start_refused"]


def test_a_setting_that_holds_a_pin_down_is_told_as_the_holder(cloud):
    cloud.configure("[upgrade_levels]\ncompute = epoxy\nscheduler = 4.4")
    cloud.service("cell1", "new", 74)
    _, pins, _ = cloud.pins("nova")
    assert (pins["compute"]["pin"], pins["compute"]["held_by"]) == ("6.4", [])
    assert pins["compute"]["raising"].startswith("set [upgrade_levels]compute to 6.5 or auto")
    assert (pins["scheduler"]["pin"], pins["scheduler"]["set_by"]) == ("4.4", "[upgrade_levels]scheduler = 4.4")


@pytest.mark.parametrize(
    ("binary", "version", "topic", "told"),
    [
        ("nova-compute", 70, "compute", "set [upgrade_levels]compute = auto"),
        ("nova-conductor", 70, "compute_task", "upgrade it"),
    ],
)
def test_services_that_understand_less_than_they_are_sent_are_in_danger(cloud, binary, version, topic, told):
    cloud.service("cell1", "deaf", version, binary)
    code, pins, _ = cloud.pins("nova")
    assert code == 1
    assert "deaf" in pins[topic]["danger"] and told in pins[topic]["danger"]


def test_a_pin_that_cannot_be_told_says_why(cloud):
    cloud.configure(f"{AUTO}\nscheduler = bobbin")
    cloud.service("cell1", "future", 99)
    code, pins, _ = cloud.pins("nova")
    assert code == 2
    assert (pins["compute"]["pin"], pins["scheduler"]["pin"]) == (None, None)
    assert "future" in pins["compute"]["error"]
    assert "bobbin" in pins["scheduler"]["error"]


def test_a_cell_that_does_not_answer_is_told(cloud):
    row = {"uuid": "gone", "name": "far", "transport_url": "none:///", "disabled": False}
    away = "mysql+pymysql://nobody@127.0.0.1:1/nova"
    cloud.api.run(add, API["cell_mappings"], row | {"database_connection": away})
    _, _, found = cloud.pins("nova")
    assert len(found["left_out"]) == 1 and "far" in found["left_out"][0]


def test_the_table_has_a_row_for_each_topic_and_names_the_holders(cloud):
    cloud.configure(AUTO)
    cloud.service("cell2", "older", 68)
    code, text = cloud.say("nova", "pins")
    assert code == 0
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    assert rows[0] == ["Topic", "Pin", "Newest", "Set by", "Held down by"]
    assert rows[1] == ["compute", "6.4", "6.5", "[upgrade_levels]compute = auto", "older"]
    assert len(rows) == 6
    assert "nova-compute on older (68, Epoxy, cell cell2)" in text
    assert len({len(line) for line in text.splitlines() if line.startswith(("|", "+"))}) == 1


def test_pins_of_volume_services_come_from_what_they_wrote(bare):
    bare.wrote("a@lvm", "cinder-volume", "3.16", "1.38")
    bare.wrote("b@lvm", "cinder-volume", "3.20", "1.39")
    bare.wrote("s", "cinder-scheduler", "3.12", "1.39")
    code, pins, _ = bare.pins("cinder")
    assert code == 0
    assert {topic: (line["pin"], line["objects"]) for topic, line in pins.items()} == {
        "volume": ("3.16", "1.38"),
        "scheduler": ("3.12", "1.39"),
        "backup": ("2.4", "1.39"),
        "results": ("any", "1.38"),
    }
    for topic in ("volume", "results"):
        assert [one["host"] for one in pins[topic]["held_by"]] == ["a@lvm"]
        assert "Flamingo (2025.2, cinder 27)" in pins[topic]["raising"]
    assert pins["scheduler"]["raising"] is None


@pytest.mark.parametrize(("rpc", "objects"), [(None, None), ("3.20", "1.37"), ("3.20", "1.40")])
def test_volume_services_nobody_can_be_pinned_to_are_told(bare, rpc, objects):
    bare.wrote("odd", "cinder-volume", rpc, objects)
    code, pins, found = bare.pins("cinder")
    assert code == 2
    assert pins["volume"]["pin"] is None
    assert [one["host"] for one in pins["volume"]["held_by"]] == ["odd"]
    assert "odd" in pins["volume"]["error"] and "odd" in found["start_refused"]
