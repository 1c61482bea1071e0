"""Which samples are for training, by the protocol of the paper.

Nothing is chosen by the test part: networks train for a number of epochs that was fixed
before, and the parameters after the last one are tested.
"""

import numpy as np
from sklearn.model_selection import StratifiedKFold


def splits(dataset, data, seeds):
    """Return training and test places for every run.

    Data with an official split is split so in every run, and runs differ by the seed of
    the network. Of HDM05, half of each class is for training, drawn anew for each run.
    Other data is cut into folds, five at least, and the first of them are taken.

    Parameters
    ----------
    dataset : cornet_nn.datasets.Dataset
        Data set.
    data : str
        Its name in the paper.
    seeds : int
        Number of runs.

    Returns
    -------
    splits : list of tuple of array
        Places for training and for testing.
    """
    from cornet_nn.datasets.labels import half_of_each_class

    labels = dataset.labels
    if data == "HDM05":
        tests = [half_of_each_class(labels, seed=seed) for seed in range(seeds)]
    elif dataset.test is not None:
        tests = [dataset.test] * seeds
    else:
        folds = StratifiedKFold(max(5, seeds), shuffle=True, random_state=0)
        return list(folds.split(labels, labels))[:seeds]
    return [(np.flatnonzero(~test), np.flatnonzero(test)) for test in tests]
