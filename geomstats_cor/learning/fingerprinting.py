"""Fingerprinting: which scan belongs to whom."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import ArrayLike
from ..data.labels import few
from ..data.naming import index_of
from ..exceptions import ParameterError, ShapeError
from .distances import pairwise_distances


@dataclass(frozen=True)
class Identification:
    """Whom scans were taken for.

    Parameters
    ----------
    predicted : numpy.ndarray, shape=[k]
        Subject of the nearest scan of the database, for each scan.
    subjects : numpy.ndarray, shape=[k]
        Subject of each scan.
    accuracy : float
        Part of the scans that are taken for the right subject.
    reverse_accuracy : float
        The same with both sets exchanged: scans of the database, identified among the
        others.
    chance : float
        Accuracy that guessing one of the subjects of the database would have.
    rank : numpy.ndarray of int, shape=[k]
        Number of subjects that are as near as the correct one or nearer; 1 is
        identified.
    margin : numpy.ndarray, shape=[k]
        Distance to the nearest other subject minus that to the correct one; positive
        where identified.
    distances : numpy.ndarray, shape=[k, l]
        Distances between scans and the database.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.learning import fingerprint
    >>> points = FullRankCorrelationMatrices(4).random_point(3, rng=0)
    >>> print(fingerprint(points, points, "olm", [1, 2, 3], [1, 2, 3]))
    100.0 % of 3 scans identified among 3 subjects (chance 33.3 %).
    """

    predicted: Any
    subjects: Any
    accuracy: float
    reverse_accuracy: float
    chance: float
    rank: Any
    margin: Any
    distances: Any

    def __str__(self):
        return (
            f"{self.accuracy:.1%} of {len(self.subjects)} scans identified among "
            f"{round(1.0 / self.chance)} subjects (chance {self.chance:.1%})."
        ).replace("%", " %")


def fingerprint(
    scans: ArrayLike,
    database: ArrayLike,
    space: Any,
    subjects: ArrayLike = None,
    database_subjects: ArrayLike = None,
    distance: str = "angle",
    reference: ArrayLike = None,
) -> Any:
    r"""Identify the subjects of scans by the nearest scan of a database.

    Parameters
    ----------
    scans : array-like, shape=[k, n, n], or CorrelationStack
        Full-rank correlation matrices, such as those of a second session.
    database : array-like, shape=[l, n, n], or CorrelationStack
        Full-rank correlation matrices of known subjects.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    subjects : array-like, shape=[k]
        Subject of each scan, all of them in the database; the index of a
        `CorrelationStack` if None.
    database_subjects : array-like, shape=[l]
        Subject of each scan of the database, two subjects at least; the index of a
        `CorrelationStack` if None.
    distance : {"angle", "geodesic", "entries"}
        What is near; see `pairwise_distances`.
    reference : array-like, shape=[n, n]
        Reference point of angles; the Fréchet mean of the database if None.

    Returns
    -------
    identification : Identification
        Whom scans were taken for, with accuracies, ranks and margins.

    References
    ----------
    .. [F2015b] E. S. Finn et al. Functional connectome fingerprinting: identifying
       individuals using patterns of brain connectivity. Nature Neuroscience 18, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.learning import fingerprint
    >>> metric = FullRankCorrelationMatrices(5, equip="olm").metric
    >>> rng = np.random.default_rng(0)
    >>> people = rng.standard_normal((8, 10))
    >>> first, second = people + 0.3 * rng.standard_normal((2, 8, 10))
    >>> found = fingerprint(metric.from_coords(second), metric.from_coords(first),
    ...                     "olm", range(8), range(8))
    >>> found.accuracy, found.rank.max().item()
    (1.0, 1)
    """
    subjects = _names("subjects", subjects, scans)
    known = _names("database_subjects", database_subjects, database)
    people = np.unique(known)
    if len(people) < 2:
        raise ParameterError("database_subjects: expected two subjects at least.")
    strangers = sorted(set(subjects.tolist()) - set(known.tolist()), key=str)
    if strangers:
        raise ParameterError(
            f"subjects: expected subjects of the database, got {few(strangers)}, who "
            f"have no scan in it: leave their scans out."
        )
    distances = pairwise_distances(scans, database, space, distance, reference)
    if distances.shape != (len(subjects), len(known)):
        raise ShapeError(
            f"subjects and database_subjects: expected {distances.shape[0]} and "
            f"{distances.shape[1]} names, one for each matrix, got {len(subjects)} and "
            f"{len(known)}."
        )
    # The distance of a scan to a subject is that to the nearest scan of the subject.
    nearest = np.stack(
        [distances[:, known == person].min(axis=1) for person in people], axis=1
    )
    is_own = subjects[:, None] == people
    own = nearest[is_own]
    others = np.where(is_own, np.inf, nearest).min(axis=1)
    predicted = known[np.argmin(distances, axis=1)]
    back = subjects[np.argmin(distances, axis=0)]
    present = np.isin(known, subjects)
    return Identification(
        predicted,
        subjects,
        float(np.mean(predicted == subjects)),
        float(np.mean(back[present] == known[present])),
        1.0 / len(people),
        np.sum(nearest <= own[:, None], axis=1),
        others - own,
        distances,
    )


def _names(argument, names, stack):
    if names is None:
        names = index_of(stack)
    if names is None:
        raise ParameterError(
            f"{argument} is None: expected a subject for each matrix, or a "
            f"CorrelationStack whose index names them."
        )
    names = np.asarray(list(names))
    if names.ndim != 1:
        raise ShapeError(
            f"{argument}: expected one name for each matrix, got shape {names.shape}."
        )
    return names
