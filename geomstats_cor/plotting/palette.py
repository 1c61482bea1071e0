"""Colours that readers with any colour vision can tell apart."""

import itertools
from typing import Any

import matplotlib as mpl

from ..metrics import METRICS

# Okabe and Ito; those of the metrics are the same in every figure of the library.
_OKABE_ITO = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
)
#: Colour of each metric, by its short name.
METRIC_COLORS = dict(
    zip(METRICS, ("#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#009E73"), strict=True)
)
#: Marker of each metric, by its short name.
METRIC_MARKERS = dict(zip(METRICS, "os^Dv", strict=True))
CLASS_MARKERS = "osD^vP*"
# For what stands beside the colours of metrics.
NEUTRAL_COLORS = ("#CC79A7", "#332288", "#000000", "#999999")


def class_colors(count: int) -> list:
    """Return a colour per class: those of `axes.prop_cycle` if it was changed.

    Parameters
    ----------
    count : int
        Number of classes.

    Returns
    -------
    colors : list of str
        Colours; they repeat after the length of the cycle.
    """
    chosen = mpl.rcParams["axes.prop_cycle"]
    unchanged = chosen == mpl.rcParamsDefault["axes.prop_cycle"]
    cycle = _OKABE_ITO if unchanged else chosen.by_key().get("color", _OKABE_ITO)
    return list(itertools.islice(itertools.cycle(cycle), count))


def metric_key(metric: Any) -> str:
    """Return the short name of a metric, or that of its class if it has none.

    Parameters
    ----------
    metric : CorrelationMetric
        Metric.

    Returns
    -------
    key : str
        Key of `METRICS`.
    """
    keys = {cls: key for key, cls in METRICS.items()}
    return keys.get(type(metric), type(metric).__name__)


def metric_color(metric: Any) -> str:
    """Return the colour of a metric.

    Parameters
    ----------
    metric : CorrelationMetric
        Metric.

    Returns
    -------
    color : str
        Colour.
    """
    return METRIC_COLORS.get(metric_key(metric), _OKABE_ITO[-1])
