"""``os-volumes_boot`` up to 2.102: every operation is the one of ``servers`` with the same body.

POST and PUT answer 500 in nova 34.0.0 (http summary); here they do what they say: see docs/differences.md.
"""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import casts, confirm, images, power, rebuild, resize
from keel_api.compute.servers import create, delete, index, show, update
from keel_api.http import Request, handles

_ROOT = "/os-volumes_boot"
_ACTIONS = {
    "confirmResize": confirm.confirm_resize,
    "createImage": images.create_image,
    "os-start": power.start,
    "os-stop": power.stop,
    "reboot": power.reboot,
    "rebuild": rebuild.rebuild,
    "resize": resize.resize,
    "revertResize": confirm.revert_resize,
    "trigger_crash_dump": casts.act,
}


@handles(f"GET {_ROOT}")
def list_names(req: Request) -> Any:
    return index.index(req)


@handles(f"GET {_ROOT}/detail")
def list_details(req: Request) -> Any:
    return index.detail(req)


@handles(f"POST {_ROOT}")
def make(req: Request) -> Any:
    return create.create(req)


@handles(f"GET {_ROOT}/{{id}}")
def show_one(req: Request) -> Any:
    return show.show(req)


@handles(f"PUT {_ROOT}/{{id}}")
def change(req: Request) -> Any:
    return update.update(req)


@handles(f"DELETE {_ROOT}/{{id}}")
def remove(req: Request) -> Any:
    return delete.delete(req)


@handles(*(f"POST {_ROOT}/{{id}}/action #{key}" for key in _ACTIONS))
def act(req: Request) -> Any:
    return _ACTIONS[req.action or ""](req)
