"""A search inside the training part, and one test of what it chose."""

import re

import numpy as np

from geomstats_cor.exceptions import ParameterError

from . import splits
from .combinations import Combination
from .fitting import fit_and_score
from .tables import percent

KEYS = ("outer", *Combination._fields, "inner")
_TEST = "test"


class NestedSearch:
    """Validation of combinations by folds inside training parts.

    Parameters
    ----------
    data : Dataset
        Data set, in one of its preprocessings.
    load : callable
        What returns the data set in a preprocessing.
    outer : sequence of tuple of array
        Parts to train on and to test on.
    inner_folds : int
        Number of folds inside a training part.
    settings : dict
        Settings that all combinations share.
    cells : Cells
        Results, with the columns `KEYS`.
    progress : bool
        Whether to show progress bars.
    """

    def __init__(self, data, load, outer, inner_folds, settings, cells, progress):
        self.data, self.load, self.outer = data, load, outer
        self.settings, self.cells, self.progress = settings, cells, progress
        seed = settings["random_state"]
        self.inner = [
            splits.inner_parts(data, train, inner_folds, seed) for train, _ in outer
        ]

    def validate(self, combinations):
        """Train all combinations on the folds of the training parts.

        Parameters
        ----------
        combinations : sequence of Combination
            Combinations.

        Returns
        -------
        accuracies : array, shape=[outer parts, combinations]
            Accuracies over the samples that were held out.
        """
        keys = {
            (outer, *combination, inner): part
            for combination in combinations
            for outer, parts in enumerate(self.inner)
            for inner, part in enumerate(parts)
        }
        self._train(keys, "validation")
        return np.array(
            [
                [self._validation(outer, combination) for combination in combinations]
                for outer in range(len(self.outer))
            ]
        )

    def test(self, chosen, keep=False):
        """Train one combination on each whole training part, and test it.

        Parameters
        ----------
        chosen : sequence of Combination
            Combination of each outer part.
        keep : bool
            Whether the networks are kept; see `network`.

        Returns
        -------
        accuracies : array, shape=[outer parts]
            Accuracies over the samples of the test parts.
        """
        keys = [(outer, *best, _TEST) for outer, best in enumerate(chosen)]
        self._train(dict(zip(keys, self.outer, strict=True)), "test", keep)
        return np.array([self.cells[key]["accuracy"] for key in keys])

    def network(self, outer, combination):
        """Return the run directory of a network that was tested.

        Parameters
        ----------
        outer : int
            Outer part.
        combination : Combination
            Combination that was chosen for it.

        Returns
        -------
        directory : pathlib.Path
            Directory.
        """
        words = "_".join(str(word) for word in (outer, *combination))
        name = re.sub(r"[^\w.=-]+", "-", words)
        return self.cells.directory / "chosen" / name

    def _train(self, keys, title, keep=False):
        from tqdm import tqdm

        missing = {key: part for key, part in keys.items() if key not in self.cells}
        bar = tqdm(missing, desc=title, unit="run", disable=not self.progress)
        for key in bar:
            part = missing[key]
            combination = Combination(*key[1:-1])
            data = self.load(combination.preprocessing)
            self._require_same_samples(data, combination.preprocessing)
            settings = self.settings | combination.settings()
            directory = self.network(key[0], combination) if keep else None
            result = fit_and_score(data, *part, settings, directory)
            bar.set_postfix(accuracy=percent(result["accuracy"]))
            self.cells.add(key, result)

    def _validation(self, outer, combination):
        folds = range(len(self.inner[outer]))
        results = [self.cells[outer, *combination, inner] for inner in folds]
        return np.average(
            [result["accuracy"] for result in results],
            weights=[result["samples"] for result in results],
        )

    def _require_same_samples(self, data, preprocessing):
        if not np.array_equal(data.labels, self.data.labels):
            raise ParameterError(
                f"with {preprocessing} the data has {len(data)} samples, and they are "
                f"not those of the first preprocessing, which has {len(self.data)}: "
                f"combinations compare on the same samples. cornet data lists those "
                f"that are left out, and why."
            )
