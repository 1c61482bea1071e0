"""The interactive page: one file of HTML that needs neither a network nor a server.

It computes with JavaScript of its own for 3 x 3 matrices, which the tests compare with
the library.
"""

from importlib import resources

import numpy as np

from ..._types import ArrayLike
from ...exceptions import ParameterError
from ...metrics import METRICS
from ..palette import METRIC_COLORS

_SCRIPTS = ("matrices.js", "geometry.js", "surface.js", "view.js", "page.js")
# Normal, offset, and end points by C21, C31 and the partial correlation of 2 and 3.
_CHOSEN = ((0.9, 0.65, 0.35), 0.0, (0.77, 0.68, 0.12), (-0.61, -0.8, -0.65))


def explore_page(metric: str = "ecm", seed: int | None = None) -> str:
    """Return the page on which to explore hyperplanes and geodesics of the elliptope.

    Parameters
    ----------
    metric : str
        Key of `METRICS`, the metric that is shown first.
    seed : int
        Seed of the hyperplane and the end points that are shown first; chosen ones if
        None.

    Returns
    -------
    page : str
        HTML; write it to a file and open it with a browser.

    Examples
    --------
    >>> from geomstats_cor.plotting import explore_page
    >>> page = explore_page("olm")
    >>> "http" in page  # nothing is loaded from elsewhere
    False
    """
    if metric not in METRICS:
        raise ParameterError(
            f"there is no metric {metric!r}: choose one of {', '.join(METRICS)}."
        )
    normal, offset, start, end = _CHOSEN if seed is None else _drawn(seed)
    parts = {
        "style": _read("style.css"),
        "metrics": "\n".join(_metric(key, key == metric) for key in METRICS),
        "hyperplane": "\n".join(
            [
                _slider("normal-x", "normal Z₂₁", normal[0]),
                _slider("normal-y", "normal Z₃₁", normal[1]),
                _slider("normal-z", "normal Z₃₂", normal[2]),
                _slider("offset", "offset γ", offset, 2.0),
            ]
        ),
        "start": _end_point("start", start),
        "end": _end_point("end", end),
        "time": _slider("time", "position t", 0.5, 1.0, 0.0),
        "script": "\n".join(_read(name) for name in _SCRIPTS),
    }
    page = _read("page.html")
    for name, part in parts.items():
        page = page.replace("{{" + name + "}}", part)
    return page


def scripts(names: ArrayLike = _SCRIPTS[:3]) -> str:
    """Return the JavaScript that computes, which runs without a page, too.

    Parameters
    ----------
    names : sequence of str
        Files.

    Returns
    -------
    script : str
        JavaScript.
    """
    return "\n".join(_read(name) for name in names)


def _drawn(seed):
    """Draw the values of the sliders, rounded to their steps."""
    draws = np.random.default_rng(seed).uniform(-0.9, 0.9, (4, 3)).round(2).tolist()
    return draws[0], draws[1][0], draws[2], draws[3]


def _read(name):
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def _metric(key, checked):
    return (
        f'<label style="--swatch: {METRIC_COLORS[key]}">'
        f'<input type="radio" name="metric" value="{key}" '
        f'data-color="{METRIC_COLORS[key]}"{" checked" * checked}>'
        f"<span>{key.upper()}</span></label>"
    )


def _slider(name, label, value, high=1.0, low=None):
    low = -high if low is None else low
    return (
        f'<div class="slider"><label for="{name}">{label}</label>'
        f'<input type="range" id="{name}" min="{low}" max="{high}" step="0.01" '
        f'value="{value}"><output for="{name}"></output></div>'
    )


def _end_point(name, values):
    labels = ("C₂₁", "C₃₁", "C₃₂ given 1")
    return "\n".join(
        _slider(f"{name}-{axis}", label, value, 0.98)
        for axis, label, value in zip("xyz", labels, values, strict=True)
    )
