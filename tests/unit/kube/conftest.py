from collections.abc import Iterator

import pytest

from tests.unit.kube.scripted import ScriptedServer


@pytest.fixture
def server(tmp_path) -> Iterator[ScriptedServer]:
    with ScriptedServer(tmp_path) as running:
        yield running
