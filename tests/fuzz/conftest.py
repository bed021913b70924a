"""How long to fuzz: a short run that is the same every time in `make test`, a long one in `make fuzz`."""

import os

from hypothesis import HealthCheck, settings

_EASY = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("short", max_examples=30, derandomize=True, database=None, **_EASY)
settings.register_profile("long", max_examples=int(os.environ.get("KEEL_FUZZ_EXAMPLES", "5000")), **_EASY)
settings.load_profile(os.environ.get("KEEL_FUZZ", "short"))
