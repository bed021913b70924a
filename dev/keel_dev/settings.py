"""Names, places, ports and passwords of one cloud on one machine.

Everything is derived from the environment: KEEL_HOME (where the cloud keeps its files, default `.cloud` in the
checkout) and KEEL_PORT_OFFSET (added to every standard port, default 20000).
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PLUGINS = CHECKOUT / "dev" / "plugins"
REQUIREMENTS = CHECKOUT / "requirements"

HOST = "127.0.0.1"
REGION = "RegionOne"
PASSWORD = "openkeel"
PROFILES = ("embedded", "services")

#: Standard port of everything that listens; the port offset is added. The health ports are OpenKeel's own choice.
STANDARD_PORTS = {
    "keystone": 5000,
    "kubesim": 6443,
    "compute-api": 8774,
    "volume-api": 8776,
    "placement": 8778,
    "glance": 9292,
    "neutron": 9696,
}
#: Namespace of the cluster in which OpenKeel makes everything (its default).
NAMESPACE = "openkeel"
FIRST_HEALTH_PORT = 7100
#: Databases of the companions and of the two suites.
COMPANION_DATABASES = ("keystone", "placement", "glance", "neutron")
SUITE_DATABASES = ("nova_api", "nova_cell0", "nova_cell1", "cinder")


@dataclass(frozen=True)
class Settings:
    """The facts of one cloud in one profile."""

    home: Path
    profile: str = "embedded"
    port_offset: int = 20000

    @classmethod
    def from_environment(cls, profile: str | None = None) -> "Settings":
        """Read the environment; the profile defaults to the one that `up` used last."""
        home = Path(os.environ.get("KEEL_HOME") or CHECKOUT / ".cloud").expanduser().resolve()
        if profile is None:
            mark = home / "profile"
            profile = mark.read_text().strip() if mark.exists() else "embedded"
        return cls(home, profile, int(os.environ.get("KEEL_PORT_OFFSET", "20000")))

    @property
    def uses_servers(self) -> bool:
        """Whether this profile keeps its data in MariaDB and its messages in RabbitMQ."""
        return self.profile == "services"

    # Folders

    @property
    def root(self) -> Path:
        """The folder of this profile's own files."""
        return self.home / self.profile

    @property
    def etc(self) -> Path:
        """Configuration files, one folder for each process."""
        return self.root / "etc"

    @property
    def logs(self) -> Path:
        """One log file for each process."""
        return self.root / "log"

    @property
    def run(self) -> Path:
        """Records of the processes that were started."""
        return self.root / "run"

    @property
    def state(self) -> Path:
        """Data of the processes, and the marks of finished steps."""
        return self.root / "state"

    @property
    def clouds_yaml(self) -> Path:
        """Client configuration; the same in both profiles."""
        return self.home / "clouds.yaml"

    @property
    def kubeconfig(self) -> Path:
        """How to reach the simulated cluster of this profile."""
        return self.state / "kubesim" / "kubeconfig"

    def environment_folder(self, name: str) -> Path:
        """Folder of a virtual environment: `project`, `companions` or `reference`."""
        return CHECKOUT / ".venv" if name == "project" else self.home / "venv" / name

    def program(self, name: str, environment: str = "companions") -> str:
        """Path of a program in a virtual environment."""
        return str(self.environment_folder(environment) / "bin" / name)

    def state_of(self, name: str) -> Path:
        """The data folder of a process, made when missing."""
        folder = self.state / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    # Addresses

    def port(self, name: str) -> int:
        """TCP port of a server."""
        return STANDARD_PORTS[name] + self.port_offset

    def url(self, name: str, path: str = "") -> str:
        """URL of an HTTP service."""
        return f"http://{HOST}:{self.port(name)}{path}"

    @property
    def auth_url(self) -> str:
        """URL of the identity API."""
        return self.url("keystone", "/v3")

    @property
    def prefix(self) -> str:
        """Name of this cloud's databases, virtual host and user on shared servers: one for each home folder."""
        return "keel_" + hashlib.sha256(str(self.home).encode()).hexdigest()[:6]

    @property
    def transport_url(self) -> str:
        """The message bus, as oslo.messaging writes it."""
        if not self.uses_servers:
            return "fake:/"
        return f"rabbit://{self.prefix}:{PASSWORD}@{HOST}:5672/{self.prefix}"

    def database_file(self, name: str) -> Path:
        """The file of a database in the embedded profile."""
        return self.state / "db" / f"{name}.sqlite"

    def database_url(self, name: str) -> str:
        """SQLAlchemy URL of a database."""
        if not self.uses_servers:
            return f"sqlite:///{self.database_file(name)}?timeout=60"
        return f"mysql+pymysql://{self.prefix}:{PASSWORD}@{HOST}:3306/{self.prefix}_{name}?charset=utf8mb4"

    @property
    def endpoints(self) -> list[tuple[str, str, str]]:
        """Catalog entries: (service type, name, URL)."""
        return [
            ("identity", "keystone", self.auth_url),
            ("image", "glance", self.url("glance")),
            ("network", "neutron", self.url("neutron")),
            ("placement", "placement", self.url("placement")),
            ("compute", "nova", self.url("compute-api", "/v2.1")),
            ("block-storage", "cinder", self.url("volume-api", "/v3")),
        ]
