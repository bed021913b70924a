"""Key pairs (nova 34.0.0)."""

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from keel_api.compute.keypairs import keys

PUBLIC = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHiTOwYwFpQyB0JGrSZgmFFxeQyqJPGcVSuDN1tOIAhf me@here"


def keypair(name, **more):
    return {"keypair": {"name": name, **more}}


def test_a_public_key_is_imported_and_shown(compute):
    created = compute.post("/os-keypairs", keypair("a", public_key=PUBLIC)).ok.body["keypair"]
    assert "private_key" not in created
    assert created["fingerprint"].count(":") == 15
    shown = compute.get("/os-keypairs/a", version="2.2").ok.body["keypair"]
    assert (shown["public_key"], shown["type"], shown["user_id"]) == (PUBLIC, "ssh", "member-user")


@pytest.mark.parametrize(("version", "created", "deleted"), [("2.1", 200, 202), ("2.2", 201, 204), ("2.92", 201, 204)])
def test_success_codes_follow_the_version(compute, version, created, deleted):
    assert compute.post("/os-keypairs", keypair("a", public_key=PUBLIC), version=version).status == created
    assert compute.delete("/os-keypairs/a", version=version).status == deleted


def test_a_pair_is_generated_where_the_version_allows_it(compute):
    made = compute.post("/os-keypairs", keypair("a"), version="2.91").ok.body["keypair"]
    secret = serialization.load_pem_private_key(made["private_key"].encode(), None)
    public = secret.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    assert made["public_key"].startswith(public.decode())
    assert "private_key" not in compute.get("/os-keypairs/a").body["keypair"]
    assert compute.post("/os-keypairs", keypair("b"), version="2.92").status == 400


def test_certificates_are_generated_and_imported(compute):
    made = compute.post("/os-keypairs", keypair("a", type="x509"), version="2.2").ok.body["keypair"]
    certificate = x509.load_pem_x509_certificate(made["public_key"].encode())
    assert certificate.subject.rfc4514_string() == "CN=member-user"
    again = keypair("b", type="x509", public_key=made["public_key"])
    assert compute.post("/os-keypairs", again, version="2.92").ok.body["keypair"]["fingerprint"] == made["fingerprint"]


@pytest.mark.parametrize("kind", ["ssh", "x509"])
@pytest.mark.parametrize("text", ["", "ssh-rsa", "ssh-rsa !!!", "ssh-rsa AAAA"])
def test_a_text_that_is_no_key_is_refused(kind, text):
    with pytest.raises(keys.Invalid):
        keys.imported(kind, text)


def test_the_service_refuses_a_text_that_is_no_key(compute):
    reply = compute.post("/os-keypairs", keypair("a", public_key="nonsense"))
    assert reply.status == 400
    assert reply.message.startswith("Keypair data is invalid:")


@pytest.mark.parametrize(
    ("name", "version", "status"), [("a@b.c", "2.91", 400), ("a@b.c", "2.92", 201), ("!", "2.92", 400)]
)
def test_names_grow_at_2_92(compute, name, version, status):
    assert compute.post("/os-keypairs", keypair(name, public_key=PUBLIC), version=version).status == status


def test_an_unknown_type_is_named_in_the_refusal(compute):
    reply = compute.post("/os-keypairs", keypair("a", type="fakey", public_key=PUBLIC), version="2.2")
    assert reply.message == (
        "Invalid input for field/attribute type. Value: fakey. 'fakey' is not one of ['ssh', 'x509']"
    )


def test_a_name_is_unique_for_a_user(compute, other):
    body = keypair("a", public_key=PUBLIC)
    assert compute.post("/os-keypairs", body).ok
    assert compute.post("/os-keypairs", body).message == "Key pair 'a' already exists."
    assert compute.post("/os-keypairs", body, who=other).ok


def test_keys_of_others_are_for_administrators_from_2_10(compute, admin, other):
    assert compute.post(
        "/os-keypairs", keypair("a", public_key=PUBLIC, user_id="other-user"), who=admin, version="2.10"
    ).ok
    assert compute.get("/os-keypairs/a", who=other).status == 200
    assert compute.get("/os-keypairs/a?user_id=other-user", version="2.10").status == 403
    assert compute.get("/os-keypairs/a?user_id=other-user", who=admin, version="2.10").status == 200
    assert compute.get("/os-keypairs?user_id=other-user", version="2.9").ok.body == {"keypairs": []}


def test_pages_begin_at_2_35(compute):
    for name in "cab":
        assert compute.post("/os-keypairs", keypair(name, public_key=PUBLIC)).ok
    assert len(compute.get("/os-keypairs?limit=1", version="2.34").body["keypairs"]) == 3
    first = compute.get("/os-keypairs?limit=2", version="2.35").ok.body
    assert [item["keypair"]["name"] for item in first["keypairs"]] == ["a", "b"]
    assert first["keypairs_links"][0]["href"] == "http://localhost/v2.1/os-keypairs?limit=2&marker=b"
    assert compute.get("/os-keypairs?marker=zz", version="2.35").status == 400


def test_the_quota_counts_the_keys_of_the_user(compute):
    compute.set("key_pairs", 1, "quota")
    assert compute.post("/os-keypairs", keypair("a", public_key=PUBLIC)).ok
    reply = compute.post("/os-keypairs", keypair("b", public_key=PUBLIC))
    assert (reply.status, reply.message) == (403, "Quota exceeded, too many key pairs.")


def test_an_unknown_key_pair_is_not_found(compute):
    assert compute.get("/os-keypairs/zz").status == 404
    assert compute.delete("/os-keypairs/zz").status == 404
