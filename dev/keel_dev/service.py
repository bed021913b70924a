"""What a process of a cloud is."""

from collections.abc import Callable
from dataclasses import dataclass, field

from keel_dev.environments import variables
from keel_dev.ini import Sections
from keel_dev.settings import Settings


@dataclass(frozen=True)
class Rpc:
    """Where a program answers a ping over the message bus."""

    topic: str
    server: str
    exchange: str


@dataclass(frozen=True)
class Service:
    """One process."""

    name: str
    #: "companion", "cluster", "keel" or "real".
    kind: str
    argv: tuple[str, ...]
    #: Virtual environment: project, companions, reference or one of releases/.
    environment: str
    #: File name and content of the configuration, in the folder of the process.
    conf_name: str = ""
    conf: Callable[[], Sections] | None = None
    #: URL that answers below 500 when the process is ready.
    ready_url: str = ""
    #: Whether only the status 200 of that URL means ready.
    strict: bool = False
    rpc: Rpc | None = None
    #: TCP ports it listens on; something else there is an error before the start.
    ports: tuple[int, ...] = ()
    #: Files of the environment that must stand beside the configuration.
    copied: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)

    def variables(self, settings: Settings) -> dict[str, str]:
        """Environment variables of the process."""
        return variables(settings, self.environment, self.extra)
