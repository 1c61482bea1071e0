"""Settings of the conformance tests: selection by data, and repeatable random data."""

import zlib

import geomstats.backend as gs
import pytest
from geomstats.test.conf import pytest_collection_modifyitems  # noqa: F401


@pytest.fixture(autouse=True)
def repeatable_random_data(request):
    """Seed geomstats' random state by the name of the test."""
    gs.random.seed(zlib.crc32(request.node.nodeid.encode()))
