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
        Places for training and for testing. Items that cannot be used are drawn with
        the others: they are left out of training parts, and test parts have them as
        places from the length of the data set on.
    """
    from cornet_nn.datasets.labels import half_of_each_class

    labels = np.append(dataset.labels, dataset.left_out.labels)
    if data == "HDM05":
        tests = [half_of_each_class(labels, seed=seed) for seed in range(seeds)]
    elif dataset.test is not None:
        tests = [np.append(dataset.test, dataset.left_out.for_test)] * seeds
    else:
        folds = StratifiedKFold(max(5, seeds), shuffle=True, random_state=0)
        tests = [_mask(test, len(labels)) for _, test in folds.split(labels, labels)]
    usable = np.arange(len(labels)) < len(dataset)
    return [
        (np.flatnonzero(~test & usable), np.flatnonzero(test)) for test in tests[:seeds]
    ]


def _mask(places, size):
    return np.isin(np.arange(size), places)
