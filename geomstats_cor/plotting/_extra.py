"""The libraries of the extra `plot`, loaded where they are needed."""

import importlib
from typing import Any


def load(name: Any) -> Any:
    """Import a module of the extra, or say how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"plotting needs {name.split('.')[0]}: pip install 'geomstats-cor[plot]'."
        ) from error
