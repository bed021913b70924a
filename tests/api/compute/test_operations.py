"""Every operation, row by row: it is declared as recorded, it has a handler, and a fair request succeeds."""

import pytest
from fakes.api import Identity

from api.compute import recorded, wishes
from keel_api.http.dialect import DIALECTS
from keel_api.http.ops import load

OPS = {op.id: op for op in load(DIALECTS["compute"])}
ROWS = recorded.operations()
#: 501 as where Ironic's client is not installed, 400 as it always was: nothing of bare metal is proxied.
REFUSED = {op_id: 501 if op_id.startswith("GET") else 400 for op_id in OPS if "/os-baremetal-nodes" in op_id}
#: Always 403: no version of nova 34.0.0 does it any more.


@pytest.mark.parametrize("wish", wishes.first_wishes(), ids=lambda wish: wish.id)
def test_a_fair_request_of_an_administrator_succeeds(whole, wish):
    reply = whole.ask(wish, Identity.ADMIN)
    expected = REFUSED.get(wish.op_id) or OPS[wish.op_id].success.at(recorded.parsed(wish.version))
    assert reply.status == expected, reply.raw.decode()
