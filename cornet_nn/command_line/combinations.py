"""What a sweep varies, and the choice among it."""

import itertools
import json
from typing import NamedTuple

from geomstats_cor.exceptions import ParameterError

from .sources import value_of


class Combination(NamedTuple):
    """What a sweep varies.

    Attributes
    ----------
    preprocessing : str
        Options of the loader, as in "center=first levels=2"; "-" for none.
    metric : str
        Metric.
    power : float
        Matrix power.
    shrinkage : float
        Shrinkage.
    lr : float
        Learning rate.
    """

    preprocessing: str
    metric: str
    power: float
    shrinkage: float
    lr: float

    def settings(self):
        """Return the settings of a training.

        Returns
        -------
        settings : dict
            Settings by name.

        Examples
        --------
        >>> Combination("-", "olm", 0.5, 0.0, 0.01).settings()
        {'metric': 'olm', 'power': 0.5, 'shrinkage': 0.0, 'lr': 0.01}
        """
        return {k: v for k, v in self._asdict().items() if k != "preprocessing"}


def combinations(preprocessings, metrics, powers, shrinkages, lrs):
    """Return all combinations, those with the same preprocessing next to each other.

    Parameters
    ----------
    preprocessings, metrics, powers, shrinkages, lrs : sequence
        Values to combine.

    Returns
    -------
    combinations : list of Combination
        Combinations.

    Examples
    --------
    >>> len(combinations(["-"], ["olm", "lsm"], [0.5, 1.0], [0.0], [0.1, 0.01]))
    8
    """
    axes = (preprocessings, metrics, powers, shrinkages, lrs)
    return [Combination(*values) for values in itertools.product(*axes)]


def preprocessings(words):
    """Return the combinations of options of the loader.

    Parameters
    ----------
    words : sequence of str
        Options with their values, as in "center=null,first".

    Returns
    -------
    ways : dict of dict
        Options by name, by a word for the combination.

    Examples
    --------
    >>> list(preprocessings(["center=null,first", "levels=2"]))
    ['center=null levels=2', 'center=first levels=2']
    >>> preprocessings(["center=null"])
    {'center=null': {'center': None}}
    >>> preprocessings([])
    {'-': {}}
    """
    axes = []
    for word in words:
        key, equals, values = word.partition("=")
        if not (key and equals and values):
            raise ParameterError(f"--vary {word} is not of the form KEY=VALUE,VALUE.")
        axes.append([(key.replace("-", "_"), value) for value in _values(values)])
    ways = {}
    for pairs in itertools.product(*axes):
        word = " ".join(f"{key}={_word(value)}" for key, value in pairs)
        ways[word or "-"] = dict(pairs)
    return ways


def _values(text):
    try:
        return json.loads(f"[{text}]")
    except json.JSONDecodeError:
        return [value_of(word) for word in text.split(",")]


def _word(value):
    return value if isinstance(value, str) else json.dumps(value)
