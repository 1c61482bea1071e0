"""Modules that have moved: their old names still import, with a warning."""

import importlib
import importlib.abc
import importlib.util
import sys
import warnings

# Old name: new name, within the package.
MODULES = {
    "correlation_matrices": "space",
    "chunks": "statistics.sources",
    "means": "statistics.mean",
    "robust_means": "statistics.trimmed",
    "streaming": "statistics.streaming",
    "stacks": "data.cleaning",
    "condensed": "data.condensed",
    "sampling": "data.sampling",
    "image_metrics": "geometries",
    "hyperbolic_rows": "geometries.hyperbolic",
    "pullback": "metrics",
    "tensors": "metrics.components",
    "one_step": "metrics.one_step",
    "kernels.isometries": "kernels",
    "kernels.packed_hollow": "kernels",
    "kernels.offlog": "kernels.off_log_maps",
    "kernels.hyperbolic": "kernels.hyperboloid",
    "kernels.poincare": "kernels.poincare_ball",
}


class RenamedModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports modules of a package under names that they had before.

    Parameters
    ----------
    package : str
        Name of the package.
    modules : dict
        New name by old name, both within the package.
    """

    def __init__(self, package, modules):
        self._names = {
            f"{package}.{old}": f"{package}.{new}" for old, new in modules.items()
        }

    def find_spec(self, fullname, path=None, target=None):
        """Answer for the old names only."""
        if fullname in self._names:
            return importlib.util.spec_from_loader(fullname, self)
        return None

    def create_module(self, spec):
        """Return the module under its new name, and warn."""
        new = self._names[spec.name]
        warnings.warn(
            f"{spec.name} is now {new}; the old name will go with the next release.",
            DeprecationWarning,
            stacklevel=2,
        )
        module = importlib.import_module(new)
        # The import system is about to give the module the attributes of the old one.
        self._attributes = {
            name: getattr(module, name) for name in ("__spec__", "__loader__")
        }
        return module

    def exec_module(self, module):
        """Undo what the import system has set: the module is loaded already."""
        for name, value in self._attributes.items():
            setattr(module, name, value)


def install(package, modules):
    """Let a package's modules be imported by their old names."""
    sys.meta_path.append(RenamedModules(package, modules))
