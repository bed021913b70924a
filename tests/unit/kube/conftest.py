from collections.abc import Iterator

import pytest
from fakes.kube import ScriptedServer


@pytest.fixture
def server(tmp_path) -> Iterator[ScriptedServer]:
    with ScriptedServer(tmp_path) as running:
        yield running
