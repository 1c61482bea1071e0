"""Progress bars, by tqdm if it is installed."""

import contextlib


class Bar:
    """A bar for each pass over the data.

    Parameters
    ----------
    is_shown : bool
        Whether to show it.
    """

    def __init__(self, is_shown):
        self._is_shown = is_shown
        self._passes = 0

    @contextlib.contextmanager
    def over(self, number):
        """Show a bar for a pass over a number of matrices.

        Parameters
        ----------
        number : int or None
            Number of matrices, if known.

        Yields
        ------
        advance : callable
            Is to be told the number of matrices that are done.
        """
        self._passes += 1
        tqdm = _tqdm() if self._is_shown else None
        if tqdm is None:
            yield lambda number: None
            return
        with tqdm(total=number, desc=f"pass {self._passes}", unit=" matrices") as bar:
            yield bar.update


def _tqdm():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


@contextlib.contextmanager
def steps(number, unit, is_shown=True):
    """Show a bar for steps that take more than a second together.

    The environment variable TQDM_DISABLE=1 turns all bars off.

    Parameters
    ----------
    number : int
        Number of steps.
    unit : str
        What a step is, in the plural.
    is_shown : bool
        Whether to show it.

    Yields
    ------
    advance : callable
        Is to be told the number of steps that are done.
    """
    tqdm = _tqdm() if is_shown else None
    if tqdm is None:
        yield lambda number: None
        return
    with tqdm(total=number, unit=f" {unit}", delay=1.0, leave=False) as bar:
        yield bar.update
