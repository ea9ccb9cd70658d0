"""Settings of all tests: a seed that is printed, and as many examples as DRX_EXAMPLES says."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("drx", deadline=None, print_blob=True, max_examples=int(os.environ.get("DRX_EXAMPLES", 60)),
                          suppress_health_check=list(HealthCheck), database=None)
settings.load_profile("drx")
