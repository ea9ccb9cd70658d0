"""For all tests: a seed that is printed, as many examples as DRX_EXAMPLES says, and the path of an array."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("drx", deadline=None, print_blob=True, max_examples=int(os.environ.get("DRX_EXAMPLES", 40)),
                          suppress_health_check=list(HealthCheck), database=None)
settings.load_profile("drx")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "a")
