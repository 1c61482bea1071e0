"""Packages whose names are loaded when they are first used."""

import importlib
import importlib.util


def lazy(namespace, homes, needed):
    """Return `__all__`, `__getattr__` and `__dir__` of a package.

    Parameters
    ----------
    namespace : dict
        `globals()` of the package.
    homes : dict of str
        Public names by the module of the package that has them, separated by spaces.
    needed : sequence of str
        Libraries of the extra `nn` without which there are no such names.

    Returns
    -------
    names : list of str
        All public names.
    getter, lister : callable
        Functions of the package.
    """
    package = namespace["__name__"]
    modules = {name: home for home, names in homes.items() for name in names.split()}

    def getter(name):
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        missing = [x for x in needed if importlib.util.find_spec(x) is None]
        if missing:
            raise ModuleNotFoundError(
                f"{package} needs {', '.join(missing)}: pip install "
                f"'geomstats-cor[nn]'.",
                name=missing[0],
            )
        module = importlib.import_module(f"{package}.{modules[name]}")
        return namespace.setdefault(name, getattr(module, name))

    return [*modules], getter, lambda: sorted({*namespace, *modules})
