"""The table of features is what its probes find."""

import os
import re
from importlib.metadata import version

import pytest

from .pages import ROOT

for _module in ("torch", "dask", "matplotlib", "skimage", "mpmath"):
    pytest.importorskip(_module)

from benchmarks.features import PROBES  # noqa: E402
from benchmarks.probes.calls import sample  # noqa: E402
from benchmarks.probes.learning import TESTS  # noqa: E402
from benchmarks.probes.names import LIBRARIES, documented, named, scan  # noqa: E402
from geomstats_cor import METRICS  # noqa: E402

TEXT = (ROOT / "docs/tables/features.md").read_text(encoding="utf-8")
LINES = [line[2:-2].split(" | ") for line in TEXT.splitlines() if line[:1] == "|"]
ENTRIES = {row: dict(zip(LIBRARIES, found, strict=True)) for row, *found in LINES[2:]}

# Found with all 28 regions, where geomstats takes long; and its errors grow with n.
LARGE = ("Fréchet mean of correlations: gradient left", "parallel transport")


def test_every_probe_has_its_row():
    assert LINES[0][-5:] == list(LIBRARIES)
    assert list(ENTRIES) == ["in its own words", *PROBES]


def test_the_table_names_versions():
    for library in LIBRARIES:
        assert re.search(rf"\b{library} \d+\.\d+", TEXT)


@pytest.mark.parametrize("row", PROBES)
def test_what_we_have(row):
    assert PROBES[row].entry("geomstats-cor", sample(6)) == ENTRIES[row][LIBRARIES[0]]


@pytest.mark.parametrize("row", PROBES)
def test_what_geomstats_has(row):
    if PROBES[row].backend != os.environ.get("GEOMSTATS_BACKEND", "numpy"):
        pytest.skip("found under the other backend of geomstats")
    if f"geomstats {version('geomstats')}," not in TEXT:
        pytest.skip("found with another version of geomstats")
    entry = PROBES[row].entry("geomstats", sample(6))
    if row in LARGE:
        assert re.findall(r"\b[A-Z]{3,4}\b", entry) == [key.upper() for key in METRICS]
    else:
        assert entry == ENTRIES[row]["geomstats"]


def test_the_scan_sees_public_names_alone():
    seen = scan("geomstats-cor")
    assert "geomstats_cor.statistics.mean.FrechetMean" in seen.objects
    assert "cornet_nn.layers.fc.CorFC" in seen.objects
    assert "geomstats_cor.learning._points.PointsEstimator" not in seen.objects
    assert not any("._" in name for name in seen.modules)
    assert seen.skipped == ()


def test_names_and_docstrings_are_searched():
    assert set(named("geomstats-cor", "^frechet_mean")) == {
        "frechet_mean",
        "frechet_mean_of_chunks",
    }
    found = set(documented("geomstats-cor", TESTS))
    assert {"confidence_region", "frechet_anova", "SignificanceTest"} <= found
    assert named("geomstats-cor", "^no_such_name$") == {}
