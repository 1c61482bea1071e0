"""Probe of pictures: what draws, and what draws correlation matrices."""

import inspect
import re

from .calls import attempt
from .names import documented, listed, named, scan


def pictures(library, data):
    """Count functions and classes that draw, and draw correlation matrices."""
    import matplotlib.pyplot as plt

    found = named(library, "^plot(_|$)")
    for key, kind in scan(library).objects.items():
        drawing = hasattr(kind, "draw") and re.search("viz|visual|plot", key)
        if inspect.isclass(kind) and (drawing or hasattr(kind, "plot")):
            found[kind.__name__] = kind
    if not found:
        return "none"
    drawn = [
        name
        for name in sorted(documented(library, "correlation matri"))
        if name in found
        and inspect.isfunction(found[name])
        and _draws(found[name], data.points[:, :3, :3])
    ]
    plt.close("all")
    of_correlations = listed(drawn) if drawn else "none"
    return f"{len(found)}: {listed(found, most=4)}; of correlations: {of_correlations}"


def _draws(function, points):
    return any(
        not isinstance(attempt(function, *arguments), Exception)
        for arguments in ((), (points,))
    )
