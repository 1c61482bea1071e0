"""The public names of a library, and those among them that match."""

import contextlib
import functools
import importlib
import inspect
import io
import pkgutil
import re
import warnings
from typing import NamedTuple

PACKAGES = {
    # distribution: its packages
    "geomstats-cor": ("geomstats_cor", "cornet_nn"),
    "geomstats": ("geomstats",),
    "pyriemann": ("pyriemann",),
    "spd_learn": ("spd_learn",),
    "geoopt": ("geoopt",),
}
LIBRARIES = tuple(PACKAGES)
_TESTS = ("test", "tests", "test_cases")


class Scan(NamedTuple):
    """What was seen of a library.

    Parameters
    ----------
    modules : tuple of str
        Public modules that could be imported.
    skipped : tuple of str
        Those that could not.
    objects : dict
        Public classes and functions by their name.
    """

    modules: tuple
    skipped: tuple
    objects: dict


@functools.cache
def scan(library):
    """Import all public modules of a library and collect classes and functions.

    A name is public if it is defined in a public module, or offered by the
    `__init__.py` of a public package.
    """
    modules, skipped = [], []
    for package in PACKAGES[library]:
        for name in (package, *_submodules(package)):
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                try:
                    modules.append(importlib.import_module(name))
                except ImportError:
                    skipped.append(name)
    objects = {}
    for module in modules:
        for name in filter(_is_public, dir(module)):
            found = getattr(module, name, None)
            home = getattr(found, "__module__", None) or ""
            if not callable(found) or home.split(".")[0] not in PACKAGES[library]:
                continue
            if _is_public(home) or hasattr(module, "__path__"):
                key = f"{home}.{getattr(found, '__qualname__', name)}"
                objects.setdefault(key, found)
    names = tuple(module.__name__ for module in modules)
    return Scan(names, tuple(skipped), dict(sorted(objects.items())))


def _submodules(package):
    root = importlib.import_module(package)
    found = pkgutil.walk_packages(root.__path__, f"{package}.", onerror=lambda _: None)
    return (m.name for m in found if _is_public(m.name))


def _is_public(name):
    parts = name.split(".")
    return not any(part.startswith("_") or part in _TESTS for part in parts)


def subclasses(library, base, but=()):
    """Return the public classes that derive from a class and can have instances."""
    return {
        found.__name__: found
        for found in scan(library).objects.values()
        if inspect.isclass(found)
        and issubclass(found, base)
        and not issubclass(found, but)
        and found is not base
        and not inspect.isabstract(found)
    }


def named(library, pattern):
    """Return the public classes and functions whose own name matches."""
    return {
        key.rsplit(".", 1)[-1]: found
        for key, found in scan(library).objects.items()
        if re.search(pattern, key.rsplit(".", 1)[-1])
    }


def documented(library, pattern):
    """Return the public classes and functions whose name or docstring matches."""
    return {
        key.rsplit(".", 1)[-1]: found
        for key, found in scan(library).objects.items()
        if re.search(pattern, f"{key} {inspect.getdoc(found) or ''}", re.IGNORECASE)
    }


def listed(names, most=6):
    """Return names as code; of many, some at equal distances in the alphabet."""
    names = sorted(names)
    some = names[:: -(-len(names) // most)] if names else []
    more = f" and {len(names) - len(some)} more" if len(names) > len(some) else ""
    return ", ".join(f"`{name}`" for name in some) + more
