"""Every public name has a docstring that says what it takes, gives and computes.

Public are the names in the `__all__` of packages and modules. A module that is named
there, and that has no `__all__` of its own, offers all names it defines, and so do the
modules that a new metric builds on.
"""

import ast
import builtins
import doctest
import functools
import importlib
import inspect
import pathlib
import pkgutil

import pytest
from numpydoc.validate import validate

PACKAGES = ("geomstats_cor", "cornet_nn")
# What a new metric builds on; the packages do not list it.
FOUNDATIONS = (
    "geomstats_cor.metrics.base",
    "geomstats_cor.geometries.flat",
    "geomstats_cor.hyperplanes",
)
# Where a method that overrides another says what is different, and no more.
CONTRACTS = tuple(
    f"geomstats_cor.{name}"
    for name in ("diffeos", "geometries", "hyperplanes", "metrics")
)
ROOT = pathlib.Path(__file__).parents[1]

# What numpydoc asks for, and this library does not: an extended summary (a formula is
# often all there is to say), a section "See Also", and results without a name.
NOT_ASKED = {"ES01", "SA01", "RT02"}
# Called by torch for the sake of `repr`.
HOOKS = {"extra_repr"}


@functools.cache
def public_names():
    """Return the public functions and classes by their qualified names."""
    for extra in ("torch", "matplotlib"):
        pytest.importorskip(extra)
    found = {}
    for name, value in _offered():
        if _is_ours(value):
            found.setdefault(value, name)
    return {name: value for value, name in found.items()}


def _offered():
    for module in _modules():
        if module.__name__ in FOUNDATIONS:
            yield from _defined_in(module)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if inspect.ismodule(value) and not hasattr(value, "__all__"):
                yield from _defined_in(value)
            else:
                yield f"{module.__name__}.{name}", value


def _modules():
    for package in PACKAGES:
        package = importlib.import_module(package)
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not any(part.startswith("_") for part in found.name.split(".")):
                yield importlib.import_module(found.name)


def _defined_in(module):
    for name, value in vars(module).items():
        if getattr(value, "__module__", "") == module.__name__ and name[0] != "_":
            yield f"{module.__name__}.{name}", value


def _is_ours(value):
    module = getattr(value, "__module__", None) or ""
    return callable(value) and module.split(".")[0] in PACKAGES


@functools.cache
def public_methods():
    """Return the methods of public classes, each under one qualified name."""
    found = {}
    for name, value in public_names().items():
        if not inspect.isclass(value):
            continue
        for home in filter(_is_ours, value.__mro__):
            for method, item in vars(home).items():
                function = getattr(item, "__func__", item)
                hidden = method.startswith("_") or method in HOOKS
                if inspect.isfunction(function) and not hidden:
                    if not _is_told_above(home, method):
                        found.setdefault(function, f"{name}.{method}")
    return tuple(found.values())


def _is_told_above(home, method):
    above = any(method in vars(base) for base in filter(_is_ours, home.__mro__[1:]))
    return above and home.__module__.startswith(CONTRACTS)


def _faults(name, *exempt):
    return [
        f"{name}: {code} {message}"
        for code, message in validate(name)["errors"]
        if code not in NOT_ASKED.union(exempt)
    ]


def _raise_if_any(faults):
    assert not faults, "\n" + "\n".join(faults)


def test_the_surface_is_found():
    names = public_names()
    for package in (*PACKAGES, "geomstats_cor.kernels", "geomstats_cor.exceptions"):
        assert sum(name.startswith(f"{package}.") for name in names) >= 15
    assert "geomstats_cor.EuclideanCholeskyMetric.dist" in public_methods()


def test_public_names_follow_numpydoc():
    """Summaries, all parameters by the names of the signature, returns, examples."""
    faults = []
    for name, value in public_names().items():
        # The constructor may be that of a class of another library.
        maker = getattr(getattr(value, "__init__", None), "__module__", "geomstats_cor")
        foreign = maker.split(".")[0] not in PACKAGES
        faults += _faults(name, *(["PR01"] if foreign else []))
    _raise_if_any(faults)


def test_methods_follow_numpydoc():
    """The same of methods, whose examples may be those of the class."""
    _raise_if_any([x for name in public_methods() for x in _faults(name, "EX01")])


def _unbound(examples):
    """Return the names that examples use and neither import nor define."""
    tree = ast.parse("".join(example.source for example in examples))
    used, bound = set(), set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
            bound.add(node.name)
    return used - bound


def test_examples_can_be_pasted():
    """There is an example everywhere, and it imports all that it uses, itself too."""
    faults = []
    for name, value in public_names().items():
        examples = doctest.DocTestParser().get_examples(inspect.getdoc(value))
        if not examples:
            faults.append(f"{name}: has no example")
        elif missing := _unbound(examples):
            faults.append(f"{name}: its example does not import {sorted(missing)}")
    _raise_if_any(faults)


def test_kernels_state_their_formulas():
    kernels = [x for x in public_names() if x.startswith("geomstats_cor.kernels.")]
    _raise_if_any([x for x in kernels if "math:" not in public_names()[x].__doc__])


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_say_what_they_are_about(package):
    files = sorted((ROOT / package).rglob("*.py"))
    assert len(files) > 10
    for file in files:
        assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))), file
