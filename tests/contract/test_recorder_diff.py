"""Tables of what changed between two releases."""

from keel_contract.recorder import diff


def test_what_changed_from_gazpacho_to_hibiscus(capsys):
    assert diff.main(["nova-33", "nova-34"]) == 0
    shown = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "RPC: messages of clients: nothing changed" in lines
    assert "ImageMetaProps version 1.42 1.44" in lines
    assert "service 72 74" in lines
    assert "oldest Epoxy Gazpacho" in lines
    assert any("get_by_host_for_reconcile" in line for line in lines)


def test_messages_that_came_with_a_topic(capsys):
    assert diff.main(["nova-32", "nova-33"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "compute version 6.4 6.5" in lines
    assert any(line.startswith("compute.finish_resize") and "compute-alt" in line for line in lines)
    assert any(line.startswith("compute_task.attach_volume - (instance, volume") for line in lines)


def test_release_that_was_not_recorded_is_told(capsys):
    assert diff.main(["nova-30", "nova-34"]) == 1
    assert "nova-30 has no recorded methods; recorded: nova-31" in capsys.readouterr().err


def test_same_release_has_no_tables():
    assert [line for line in diff.report("cinder-28", "cinder-28") if line][1:] == [
        f"{title}: nothing changed"
        for title in (
            "RPC: endpoints", "RPC: arguments of methods", "RPC: messages of clients", "Objects", "Versions",
        )
    ]  # fmt: skip


def test_enumeration_shows_only_the_values_that_differ():
    def with_values(*values):
        return {"Car": {"version": "1.0", "fields": {"colour": {"type": "Colour", "values": list(values)}}}}

    rows = list(diff.objects(with_values("red", "blue"), with_values("red", "green")))
    assert rows == [
        ("Car", "colour", '{"type": "Colour", "values": ["blue"]}', '{"type": "Colour", "values": ["green"]}')
    ]


def test_columns_are_aligned():
    rows = [("a", "version", "1.0", "1.1"), ("longer", "", "-", "x")]
    assert list(diff.table(rows)) == [
        "                   before  after",
        "  a       version  1.0     1.1",
        "  longer           -       x",
    ]
