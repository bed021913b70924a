"""The recorded contract: RPC interfaces, versioned objects, release pins, and the bus that carries them.

Stands alone: it imports nothing of the project.
"""

import sys

from oslo_service import backend

# oslo.messaging loads oslo.service, whose default backend is eventlet. Everything here runs on native threads.
backend.register_backend_default_hook(lambda: backend.BackendType.THREADING)
# futurist loads eventlet where it is installed, 10 MB and a fifth of a second for nothing.
sys.modules.setdefault("eventlet", None)  # type: ignore[arg-type]
