"""A server that speaks S3: moto's, in an environment of its own (requirements/s3.txt), on a port of this machine."""

import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PATIENCE = 120


class S3Server:
    """``url`` of a server that takes any keys and forgets everything at `close`."""

    def __init__(self, bucket):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        uv = [sys.executable, "-m", "uv", "run", "--quiet", "--isolated", "--no-project", "--python", sys.executable]
        uv += ["--with-requirements", str(ROOT / "requirements" / "s3.txt")]
        program = ["python", "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", str(port)]
        self._process = subprocess.Popen([*uv, *program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                urllib.request.urlopen(urllib.request.Request(f"{self.url}/{bucket}", method="PUT"), timeout=5).close()
                return
            except OSError as problem:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    self.close()
                    raise RuntimeError(f"no S3 server: {self._process.stderr.read().decode()}") from problem
                time.sleep(0.1)

    def close(self):
        self._process.terminate()
        self._process.wait(10)
