"""Whose line a warning points at: that of the user, not one of this library."""

import sys
import warnings
from types import FrameType

_LIBRARIES = {
    "geomstats_cor",
    "cornet_nn",
    "geomstats",
    "sklearn",
    "skorch",
    "joblib",
    "torch",
    "array_api_compat",
    "contextlib",
    "functools",
}


def warn_user(warning, category=None):
    """Warn, at the line outside of the libraries that led here.

    Parameters
    ----------
    warning : str or Warning
        Message or warning.
    category : type
        Class of the warning, if that is a message.
    """
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and _top_level(frame) in _LIBRARIES:
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, category, stacklevel=1 if frame is None else level)


def _top_level(frame):
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
