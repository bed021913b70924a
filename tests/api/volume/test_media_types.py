"""Media types of answers, as measured at cinder 29.0.0: most say JSON, some without a body say a page."""

import pytest
from fakes.api import Identity

from api.volume import wishes

_PAGE, _JSON = "text/html; charset=UTF-8", "application/json"


@pytest.mark.parametrize(
    ("op_id", "media_type"),
    [
        ("DELETE /backups/{id}", _JSON),
        ("POST /backups/{id}/action #os-force_delete", _JSON),
        ("DELETE /groups/{id}", _PAGE),
        ("DELETE /group_types/{id}", _PAGE),
        ("DELETE /qos-specs/{id}", _PAGE),
        ("DELETE /types/{type_id}/extra_specs/{id}", _JSON),
        ("DELETE /volumes/{id}", _PAGE),
        ("DELETE /volume-transfers/{id}", _PAGE),
        ("GET /volumes/{volume_id}/encryption/{id}", _PAGE),
        ("GET /volumes/{volume_id}/metadata", _PAGE),
        ("GET /qos-specs/{id}/associate", _PAGE),
        ("POST /groups/{id}/action #reset_status", _PAGE),
        ("POST /volumes/{id}/action #os-retype", _JSON),
        ("POST /volumes/{id}/action #os-unmanage", _PAGE),
        ("POST /volumes/{id}/action #revert", _JSON),
        ("PUT /os-services/failover_host", _PAGE),
        ("PUT /os-services/freeze", _JSON),
    ],
)
def test_the_media_type_is_the_measured_one(everything, op_id, media_type):
    volume, made = everything
    method, path, body = wishes.request(op_id, made)
    reply = volume.call(method, path, body, who=Identity.ADMIN, version="3.71")
    assert reply.status < 300 and reply.headers["Content-Type"] == media_type


def test_what_is_taken_over_shows_the_fields_of_3_0(everything):
    volume, made = everything
    method, path, body = wishes.request("POST /manageable_snapshots", made)
    shown = volume.call(method, path, body, who=Identity.ADMIN, version="3.71").body["snapshot"]
    assert "user_id" not in shown and "consumes_quota" not in shown


def test_an_attachment_of_the_older_api_has_no_connection_info(everything):
    volume, made = everything
    shown = volume.get(f"/attachments/{made['attachment']}", who=Identity.ADMIN, version="3.71").body["attachment"]
    assert shown["connection_info"] is None
