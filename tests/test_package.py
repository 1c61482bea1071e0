"""The package from outside: what importing it costs, and what it offers."""

import importlib
import json
import pkgutil
import subprocess
import sys
import textwrap
import types

import pytest

import geomstats_cor
from geomstats_cor import kernels

HEAVY = ("torch", "geomstats", "sklearn", "matplotlib", "scipy")


def modules_after(code):
    """Return the top-level modules loaded in a new process, once some code has run."""
    report = "import json, sys; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return {name.split(".")[0] for name in json.loads(run.stdout)}


def test_importing_the_package_imports_nothing_heavy():
    loaded = modules_after("import geomstats_cor")
    assert "geomstats_cor" in loaded
    assert loaded.isdisjoint({*HEAVY, "numpy"})


def test_kernels_need_neither_geomstats_nor_torch():
    loaded = modules_after("from geomstats_cor import kernels")
    assert "numpy" in loaded
    assert loaded.isdisjoint({"torch", "geomstats", "sklearn", "matplotlib"})


def test_geometry_of_numpy_arrays_needs_no_torch():
    code = """
import os
os.environ["GEOMSTATS_BACKEND"] = "numpy"
import numpy as np
import geomstats_cor as gc
points = gc.FullRankCorrelationMatrices(3, equip=False).random_point(4, rng=0)
for key in gc.METRICS:
    space = gc.FullRankCorrelationMatrices(3, equip=key)
    space.metric.log(gc.frechet_mean(points, space), points)
"""
    loaded = modules_after(code)
    assert "geomstats" in loaded
    assert "torch" not in loaded


def test_public_names_resolve():
    assert len(set(geomstats_cor.__all__)) == len(geomstats_cor.__all__)
    for name in geomstats_cor.__all__:
        value = getattr(geomstats_cor, name)
        assert getattr(value, "__doc__", None), name
        assert name in dir(geomstats_cor)
    namespace = {}
    exec("from geomstats_cor import *", namespace)
    assert set(geomstats_cor.__all__) <= set(namespace)


@pytest.mark.parametrize("order", ["names", "reversed(names)"])
def test_names_do_not_depend_on_the_order_of_imports(order):
    # A submodule of the same name would take the place of what is meant.
    code = f"""
import textwrap
import types
import geomstats_cor
names = geomstats_cor.__all__
found = {{name: getattr(geomstats_cor, name) for name in {order}}}
modules = [n for n in names if isinstance(found[n], types.ModuleType)]
expected = {{"kernels", "diffeos", "exceptions", "datasets", "learning"}}
assert set(modules) == expected, modules
assert all(getattr(geomstats_cor, n) is found[n] for n in names)
"""
    modules_after(code)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'EuclideanMetric'"):
        _ = geomstats_cor.EuclideanMetric
    with pytest.raises(ImportError):
        exec("from geomstats_cor import EuclideanMetric")


def test_kernels_resolve():
    names = geomstats_cor.kernels.__all__
    assert len(set(names)) == len(names)
    for name in names:
        kernel = getattr(geomstats_cor.kernels, name)
        assert isinstance(kernel, types.FunctionType) or hasattr(kernel, "__wrapped__")
        assert kernel.__doc__, name


def test_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert geomstats_cor.__version__ == version("geomstats-cor")


def test_networks_bring_layers_and_models_only():
    pytest.importorskip("torch")
    code = """
import sys
import cornet_nn
assert not [name for name in sys.modules if name.startswith("cornet_nn.datasets")]
assert len(set(cornet_nn.__all__)) == len(cornet_nn.__all__)
for name in cornet_nn.__all__:
    assert getattr(cornet_nn, name).__doc__, name
"""
    loaded = modules_after(code)
    assert "torch" in loaded
    # geomstats' own import is slow: it waits for the first space.
    others = {"matplotlib", "pandas", "skorch", "sklearn", "geomstats", "scipy"}
    assert loaded.isdisjoint(others)


def test_networks_without_torch_say_what_to_install():
    program = """
        import sys
        sys.modules["torch"] = None
        import cornet_nn
        try:
            from cornet_nn import CorMLR
        except ModuleNotFoundError as error:
            print(error)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "pip install 'geomstats-cor[nn]'" in run.stdout, run.stderr


def test_a_kernel_is_one_function_under_all_its_names():
    for name in kernels.__all__:
        function = getattr(kernels, name)
        module = importlib.import_module(function.__module__)
        assert isinstance(module, types.ModuleType)
        assert getattr(module, name) is function, name


def test_no_kernel_hides_a_module():
    for found in pkgutil.iter_modules(kernels.__path__):
        if not found.name.startswith("_"):
            module = importlib.import_module(f"geomstats_cor.kernels.{found.name}")
            assert getattr(kernels, found.name) is module
