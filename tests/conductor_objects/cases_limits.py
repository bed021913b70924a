"""Calls on quotas and security groups, and calls that are wrong in themselves."""

# fmt: off - tables of calls and rows are read line by line

from conductor_objects import names, things
from conductor_objects.calls import act, ask, backport, case
from conductor_objects.things import held, made
from keel_contract.nova.objects import REGISTRY

NOBODY = names.ABSENT
QUOTAS = [
    case(f"{name}: {title}", step)
    for name in ("Quotas", "QuotasNoOp")
    for title, step in (
        ("count key pairs", ask(f"{name}.count", "key_pairs", names.USER)),
        ("count groups", ask(f"{name}.count", "server_groups", names.PROJECT)),
        (
            "count members",
            ask(
                f"{name}.count",
                "server_group_members",
                held("InstanceGroup", {"uuid": names.GROUP, "id": 1, "members": [names.ACTIVE, names.BROKEN]}),
                names.USER,
            ),
        ),
        ("count metadata", ask(f"{name}.count", "metadata_items")),
        ("count what is unknown", ask(f"{name}.count", "nonsense")),
        ("count servers", ask(f"{name}.count", "instances", names.PROJECT)),
        ("count servers as dict", ask(f"{name}.count_as_dict", "instances", names.PROJECT, user_id=names.USER)),
        ("count groups as dict", ask(f"{name}.count_as_dict", "server_groups", names.PROJECT, user_id=names.USER)),
        ("count cores as dict", ask(f"{name}.count_as_dict", "cores", names.OTHER_PROJECT)),
        ("count keys as dict", ask(f"{name}.count_as_dict", "key_pairs", names.USER)),
        ("count what is unknown as dict", ask(f"{name}.count_as_dict", "nonsense")),
        ("create a limit", ask(f"{name}.create_limit", names.PROJECT, "ram", 100)),
        ("create a limit of a user", ask(f"{name}.create_limit", names.PROJECT, "ram", 100, user_id=names.USER)),
        ("create a limit twice", ask(f"{name}.create_limit", names.PROJECT, "cores", 7)),
        ("create a limit of a user twice", ask(f"{name}.create_limit", names.PROJECT, "cores", 7, user_id=names.USER)),
        (
            "create a limit of what projects have",
            ask(f"{name}.create_limit", names.PROJECT, "floating_ips", 7, user_id=names.USER),
        ),
        ("update a limit", ask(f"{name}.update_limit", names.PROJECT, "cores", 9)),
        ("update a limit of a user", ask(f"{name}.update_limit", names.PROJECT, "cores", 9, user_id=names.USER)),
        ("update an absent limit", ask(f"{name}.update_limit", names.OTHER_PROJECT, "cores", 9)),
        ("update an absent limit of a user", ask(f"{name}.update_limit", names.PROJECT, "ram", 9, user_id="x")),
        ("check a limit", ask(f"{name}.limit_check", metadata_items=3)),
        ("check a limit of a project", ask(f"{name}.limit_check", project_id=names.PROJECT, metadata_items=128)),
        ("check an exceeded limit", ask(f"{name}.limit_check", metadata_items=129)),
        ("check two exceeded limits", ask(f"{name}.limit_check", metadata_items=129, injected_files=99)),
        ("check an unknown limit", ask(f"{name}.limit_check", nonsense=1)),
        ("check a negative value", ask(f"{name}.limit_check", metadata_items=-1)),
        ("check a counted limit", ask(f"{name}.limit_check", key_pairs=3)),
        (
            "check both",
            ask(
                f"{name}.limit_check_project_and_user",
                project_values={"cores": 3},
                user_values={"cores": 3},
                project_id=names.PROJECT,
                user_id=names.USER,
            ),
        ),
        (
            "check both, user exceeded",
            ask(
                f"{name}.limit_check_project_and_user",
                project_values={"cores": 5},
                user_values={"cores": 5},
                project_id=names.PROJECT,
                user_id=names.USER,
            ),
        ),
        (
            "check both, project exceeded",
            ask(f"{name}.limit_check_project_and_user", project_values={"cores": 6}, project_id=names.PROJECT),
        ),
        ("check nothing", ask(f"{name}.limit_check_project_and_user")),
        ("check both of the unknown", ask(f"{name}.limit_check_project_and_user", project_values={"nonsense": 6})),
    )
] + [
    case("check deltas", ask("Quotas.check_deltas", {"instances": 1}, names.PROJECT)),
    case("check deltas that exceed", ask("Quotas.check_deltas", {"cores": 20}, names.PROJECT)),
    case("check deltas of groups", ask("Quotas.check_deltas", {"server_groups": 1}, names.PROJECT, names.USER)),
    case(
        "check deltas of too many groups", ask("Quotas.check_deltas", {"server_groups": 11}, names.PROJECT, names.USER)
    ),
    case("check deltas of keys", ask("Quotas.check_deltas", {"key_pairs": 1}, names.USER)),
    case("check deltas of too many keys", ask("Quotas.check_deltas", {"key_pairs": 100}, names.USER)),
    case(
        "check deltas of members",
        ask(
            "Quotas.check_deltas",
            {"server_group_members": 10},
            held("InstanceGroup", {"uuid": names.GROUP, "id": 1, "members": [names.ACTIVE]}),
            names.USER,
        ),
    ),
    case(
        "check deltas for another",
        ask(
            "Quotas.check_deltas",
            {"instances": 20},
            names.OTHER_PROJECT,
            user_id=names.OTHER_USER,
            check_project_id=names.OTHER_PROJECT,
            check_user_id=names.OTHER_USER,
        ),
    ),
    case("check deltas of the unknown", ask("Quotas.check_deltas", {"nonsense": 1}, names.PROJECT)),
    case("check no deltas", ask("Quotas.check_deltas", {}, names.PROJECT)),
    case("reserve", act(made("Quotas"), "reserve", instances=1, cores=2)),
    case(
        "reserve for a project",
        act(made("Quotas"), "reserve", expire=60, project_id=names.PROJECT, user_id=names.USER, cores=2),
    ),
    case("reserve nothing", act(made("Quotas"), "reserve")),
    case(
        "reserve on other reservations",
        act(held("Quotas", {"reservations": ["x"], "project_id": names.PROJECT}), "reserve", cores=1),
    ),
    case(
        "commit", act(held("Quotas", {"reservations": ["x"], "project_id": names.PROJECT, "user_id": None}), "commit")
    ),
    case("commit nothing", act(made("Quotas"), "commit")),
    case(
        "roll back",
        act(held("Quotas", {"reservations": ["x"], "project_id": names.PROJECT, "user_id": None}), "rollback"),
    ),
    case("roll back nothing", act(made("Quotas"), "rollback")),
]


def _group(number: int = 1, **changes: object) -> object:
    return held(
        "SecurityGroup",
        {
            "id": number,
            "name": "default",
            "project_id": names.PROJECT,
            "user_id": names.USER,
            "description": "default group",
        },
        **changes,
    )


SECURITY = [
    case("security group", ask("SecurityGroup.get", 1)),
    case("an absent security group", ask("SecurityGroup.get", 99)),
    case(
        "security group of another project",
        ask("SecurityGroup.get", 1),
        is_admin=False,
        project_id=names.OTHER_PROJECT,
        roles=["member"],
    ),
    case("security group by name", ask("SecurityGroup.get_by_name", names.PROJECT, "web")),
    case("security group by an absent name", ask("SecurityGroup.get_by_name", names.PROJECT, "x")),
    case("security group in use", act(_group(), "in_use")),
    case("security group not in use", act(_group(2), "in_use")),
    case("an absent security group in use", act(_group(99), "in_use")),
    case("save a security group", act(_group(description="new"), "save")),
    case("save nothing of a security group", act(_group(), "save")),
    case("save an absent security group", act(_group(99, description="new"), "save")),
    case("refresh a security group", act(_group(1, description="x"), "refresh")),
    case("refresh an absent security group", act(_group(99), "refresh")),
    case("all security groups", ask("SecurityGroupList.get_all")),
    case("security groups of a project", ask("SecurityGroupList.get_by_project", names.PROJECT)),
    case("security groups of no project", ask("SecurityGroupList.get_by_project", "x")),
    case("security groups of a server", ask("SecurityGroupList.get_by_instance", things.instance())),
    case("security groups of nobody", ask("SecurityGroupList.get_by_instance", things.instance(NOBODY, 99))),
    case("security groups counted", ask("SecurityGroupList.get_counts", names.PROJECT)),
    case("security groups counted by user", ask("SecurityGroupList.get_counts", names.PROJECT, user_id=names.USER)),
    case("security groups counted of nobody", ask("SecurityGroupList.get_counts", names.PROJECT, user_id="x")),
]


def _asked(name: str, method: str, versions: dict | None = None, *args: object) -> dict:
    return {
        "method": "object_class_action_versions",
        "args": {
            "objname": name,
            "objmethod": method,
            "args": list(args),
            "kwargs": {},
            "object_versions": REGISTRY.manifest("Instance") if versions is None else versions,
        },
    }


OLD = {**REGISTRY.manifest("Instance"), "Instance": "2.7"}
WRONG = [
    case("a class that is not there", _asked("Nonsense", "get_all")),
    case("a class without versions", _asked("Instance", "get_by_uuid", {}, names.ACTIVE)),
    case("a method that is not there", _asked("Instance", "nonsense")),
    case("a method that is not remotable", _asked("Instance", "obj_name")),
    case("a private name", _asked("Instance", "__init__")),
    case("an argument too few", _asked("Instance", "get_by_uuid")),
    case("an argument too many", _asked("Instance", "get_by_uuid", None, names.ACTIVE, None, False, 4)),
    case("an action that is not there", act(things.instance(), "nonsense")),
    case("an action that is not remotable", act(things.instance(), "obj_reset_changes")),
    case("an older server", _asked("Instance", "get_by_uuid", OLD, names.ACTIVE)),
    case("back to an older server", backport(things.instance(compute_id=1), OLD)),
    case("back to what was not told", backport(things.instance(), {"Service": "1.0"})),
]
CASES = [*QUOTAS, *SECURITY, *WRONG]
