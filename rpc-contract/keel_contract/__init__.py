"""The recorded contract: RPC interfaces, versioned objects, release pins, and the bus that carries them.

Stands alone: it imports nothing of the project.
"""

from oslo_service import backend

# oslo.messaging loads oslo.service, whose default backend is eventlet. Everything here runs on native threads.
backend.register_backend_default_hook(lambda: backend.BackendType.THREADING)
