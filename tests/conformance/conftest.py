"""Settings of the conformance tests: selection by data, and repeatable random data."""

import zlib

import geomstats.backend as gs
import pytest
from geomstats.test.conf import pytest_collection_modifyitems  # noqa: F401
from geomstats.test.test_case import pytorch_backend

if pytorch_backend():
    from torch import default_generator

    # torch.manual_seed, which geomstats calls, formats a traceback at every call.
    seed = default_generator.manual_seed
else:
    seed = gs.random.seed


@pytest.fixture(autouse=True)
def repeatable_random_data(request):
    """Seed geomstats' random state by the name of the test."""
    seed(zlib.crc32(request.node.nodeid.encode()))
