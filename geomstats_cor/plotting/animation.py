"""A geodesic in motion."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._types import ArrayLike
from ..exceptions import ParameterError
from .geodesics import geodesic_path
from .layers import axes_2d
from .matrices import plot_matrix
from .palette import metric_key

if TYPE_CHECKING:
    from ..space import FullRankCorrelationMatrices


def animate_geodesic(
    space: "FullRankCorrelationMatrices",
    start: ArrayLike,
    end: ArrayLike,
    frames: int = 40,
    interval: float = 80,
    ax: Any = None,
    **style: Any,
) -> Any:
    r"""Return the animation of a matrix that moves along a geodesic, and back.

    .. math:: \exp_A(t \log_A B) , \qquad 0 \le t \le 1 .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold, equipped with a metric.
    start, end : array-like, shape=[n, n]
        End points.
    frames : int
        Number of pictures from one end to the other.
    interval : float
        Time between pictures, in milliseconds.
    ax : matplotlib.axes.Axes
        Axes; those of a new figure if None.
    **style
        Keywords of `Axes.imshow`.

    Returns
    -------
    animation : matplotlib.animation.FuncAnimation
        Animation; keep a reference to it as long as it plays.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import animate_geodesic
    >>> space = FullRankCorrelationMatrices(2, equip="olm")
    >>> ax = plt.figure(figsize=(1, 1)).add_subplot()
    >>> end = [[1, 0.6], [0.6, 1]]
    >>> animation = animate_geodesic(space, np.eye(2), end, frames=3, ax=ax)
    >>> ax.figure.canvas.draw()
    >>> ax.get_title()
    'OLM, $t$ = 0.00'
    >>> plt.close("all")
    """
    from matplotlib.animation import FuncAnimation

    if frames < 2:
        raise ParameterError(f"frames is {frames}: a motion has at least 2 pictures.")
    path = geodesic_path(space, start, end, frames - 1)
    new, ax = ax is None, axes_2d(ax)
    image = plot_matrix(path[0], ax=ax, **style)
    name = metric_key(space.metric).upper()
    title = ax.set_title(f"{name}, $t$ = 0.00")
    if new:
        ax.figure.colorbar(image, ax=ax, label="correlation")

    def show(k):
        image.set_data(path[k])
        title.set_text(f"{name}, $t$ = {k / (frames - 1):.2f}")
        return image, title

    there_and_back = np.concatenate([np.arange(frames), np.arange(frames - 2, 0, -1)])
    return FuncAnimation(ax.figure, show, frames=there_and_back, interval=interval)


def save_animation(animation: Any, path: Any, dpi: float = 100) -> Any:
    """Write an animation to a file: a GIF, or a page that plays it.

    Parameters
    ----------
    animation : matplotlib.animation.Animation
        Animation.
    path : str or Path
        File; its suffix is .gif or .html.
    dpi : float
        Resolution, in dots per inch.

    Returns
    -------
    path : Path
        The file.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import animate_geodesic, save_animation
    >>> space = FullRankCorrelationMatrices(2, equip="olm")
    >>> ax = plt.figure(figsize=(1, 1)).add_subplot()
    >>> end = [[1, 0.6], [0.6, 1]]
    >>> animation = animate_geodesic(space, np.eye(2), end, frames=2, ax=ax)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_animation(animation, Path(folder) / "path.gif")
    ...     path.stat().st_size > 0
    True
    >>> plt.close("all")
    """
    import matplotlib as mpl

    path = Path(path)
    if path.suffix == ".gif":
        animation.save(path, writer="pillow", dpi=dpi)
    elif path.suffix == ".html":
        with mpl.rc_context({"savefig.dpi": dpi}):
            page = animation.to_jshtml(default_mode="loop")
        path.write_text(page, encoding="utf-8")
    else:
        raise ParameterError(
            f"the suffix of {path} is {path.suffix!r}: an animation is written to .gif "
            f"or .html."
        )
    return path
