"""What a recorded corpus may show: everything but secrets."""

import gzip
import json

import pytest

from keel_contract.nova import objects
from keel_contract.tap.addresses import address
from keel_contract.tap.corpus import Corpus
from keel_contract.tap.masking import MASK, masked
from keel_contract.tap.wire import decode

SECRET = "s3cr3t-0f-nobody"


@pytest.mark.parametrize(
    "value",
    [
        {"_context_auth_token": SECRET},
        {"_context_service_catalog": [{"type": "volumev3", "endpoints": [SECRET]}]},
        {"args": {"admin_password": SECRET, "new_pass": SECRET, "admin_pass": SECRET}},
        {"args": {"injected_files": [["/etc/x", SECRET]]}},
        {"nova_object.data": {"user_data": SECRET}},
        {"nova_object.data": {"private_key": SECRET}},
        {"nova_object.data": {"system_metadata": {"password_0": SECRET}}},
        {
            "connection_info": {
                "data": {"auth_password": SECRET, "auth_username": SECRET, "discovery_auth_password": SECRET}
            }
        },
        {"connection_info": json.dumps({"data": {"auth_password": SECRET, "keyring": SECRET}})},
        {"connector": {"chap_secret": SECRET}},
        {"a": [{"b": json.dumps([{"token": SECRET}])}]},
        {"objname": "ConsoleAuthToken", "objmethod": "validate", "args": [SECRET]},
        {"access_url": f"http://h/vnc?token={SECRET}"},
        {"text": f"see http://h/?token={SECRET}&x=1"},
        {"transport_url": f"rabbit://nova:{SECRET}@h:5672/"},
        {"failure": f'{{"message": "x", "tb": ["password=\'{SECRET}\'"]}}'},
        {"encryption": {"encryption_key": SECRET}},
        {"metadata": {"db_password": SECRET, "api_secret": SECRET}},
    ],
)
def test_secrets_are_masked(value):
    assert SECRET not in json.dumps(masked(value))


def test_what_is_no_secret_stays():
    value = {
        "_context_user_id": "u",
        "args": {"instance": objects.Instance(uuid="1" * 8, display_name="web").to_primitive(), "password": None},
        "nova_object.data": {
            "key_name": "mine",
            "key_data": "ssh-rsa AAA",
            "encryption_key_id": "k",
            "secret_uuid": "s",
        },
        "tokens": 3,
    }
    assert masked(value) == value


def test_the_kind_of_a_value_stays():
    found = masked(
        {"auth_token": "x", "injected_files": [1], "service_catalog": [], "user_data": None, "admin_pass": {}}
    )
    assert found == {
        "auth_token": MASK,
        "injected_files": [],
        "service_catalog": [],
        "user_data": None,
        "admin_pass": {},
    }


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
def test_a_corpus_is_a_line_for_each_message(tmp_path, name):
    path = tmp_path / name
    to = address("nova", "compute.node-1")
    inner = json.dumps({"method": "set_admin_password", "version": "6.0", "args": {"new_pass": SECRET}})
    corpus = Corpus(str(path))
    corpus.add(decode(json.dumps({"oslo.version": "2.0", "oslo.message": inner}), to), to, "nova-api", ["mode: x"])
    corpus.add_undecodable("2026-01-01T00:00:00+00:00", to, "the body is no JSON", 7)
    corpus.close()
    packed = path.read_bytes()
    text = (gzip.decompress(packed) if name.endswith("gz") else packed).decode()
    first, second = (json.loads(line) for line in text.splitlines())
    assert first["message"]["args"] == {"new_pass": MASK}
    assert (first["routing_key"], first["from"], first["violations"]) == ("compute.node-1", "nova-api", ["mode: x"])
    assert second == {
        **{key: second[key] for key in ("at", "exchange", "routing_key")},
        "undecodable": "the body is no JSON",
        "size": 7,
    }
    assert path.stat().st_mode & 0o077 == 0
    assert SECRET not in text


def test_a_corpus_never_overwrites(tmp_path):
    path = tmp_path / "corpus"
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        Corpus(str(path))
    assert path.read_text() == "mine"
