"""The API reference has every public name, and a link leads to a place."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def extension(name):
    """Import an extension of the site."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"docs/_ext/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages():
    pytest.importorskip("matplotlib")
    return extension("api_reference").reference_pages()


def listed_modules():
    """Return the modules with an `__all__`, by a look at their source."""
    for package in ("geomstats_cor", "cornet_nn"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            if any(part.startswith("_") for part in parts):
                continue
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                targets = getattr(node, "targets", [])
                names = {getattr(t, "id", None) for t in targets}
                names |= {t.id for tup in targets for t in getattr(tup, "elts", ())}
                if "__all__" in names:
                    yield ".".join(parts)


def test_every_public_name_has_a_place(pages):
    names = list(listed_modules())
    assert {"geomstats_cor", "geomstats_cor.kernels", "cornet_nn"} <= set(names)
    everything = "\n".join(pages.values())
    for module_name in names:
        page = pages[module_name]
        for name in importlib.import_module(module_name).__all__:
            value = getattr(importlib.import_module(module_name), name)
            if hasattr(value, "__path__") or value.__class__.__name__ == "module":
                assert f":doc:`{module_name}.{name}`" in page
            elif callable(value):
                assert f".{name}\n" in page or f"   {name}\n" in page
                assert any(
                    f"autofunction:: {name}\n" in text
                    or f"autoclass:: {name}\n" in text
                    for key, text in pages.items()
                    if key.startswith("generated/") and key.endswith(f".{name}")
                ), name
            else:
                assert f".. py:data:: {name}\n" in everything


def test_methods_of_bases_without_a_page_are_shown(pages):
    page = pages["generated/geomstats_cor.metrics.CorrelationMetric"]
    for name in ("dist", "christoffels", "to_coords"):
        assert f" {name}," in page
    below = pages["generated/geomstats_cor.metrics.EuclideanCholeskyMetric"]
    assert ":members:" not in below
    assert " fit" in pages["generated/geomstats_cor.learning.MinimumDistanceToMean"]
    assert " forward" in pages["generated/cornet_nn.CorLayer"]


def test_broken_links_are_found(tmp_path):
    faults = extension("site_links").faults
    (tmp_path / "a.html").write_text(
        '<p id="here"></p><a href="b.html#there"></a><a href="#here"></a>'
        '<a href="https://example.org"></a><img src="c.png">'
    )
    (tmp_path / "b.html").write_text('<p id="there"></p>')
    (tmp_path / "c.png").write_text("")
    assert faults(tmp_path) == []
    (tmp_path / "b.html").write_text(
        '<a href="a.html#nowhere"></a><a href="d.html"></a>'
        '<script src="https://example.org/script.js"></script>'
    )
    found = faults(tmp_path)
    assert len(found) == 4  # and the link of the first page to a place that is gone
    assert sum("network" in fault for fault in found) == 1
