"""Fitted classifiers from run directories."""

from .classifiers import CorMLRClassifier, CorNetClassifier
from .errors import RunDirectoryError
from .run_directory import RunDirectory

_CLASSIFIERS = {
    Classifier.__name__: Classifier
    for Classifier in (CorNetClassifier, CorMLRClassifier)
}


def load_classifier(directory, **parameters):
    """Return the classifier of a run, whichever it is.

    Parameters
    ----------
    directory : str or path
        Run directory.
    **parameters
        Parameters that take the place of those of the run: `device`, or what files of
        plain values cannot hold, such as a front end.

    Returns
    -------
    classifier : CorNetClassifier or CorMLRClassifier
        Fitted classifier, with the parameters of the epoch that was chosen.

    Examples
    --------
    >>> import tempfile
    >>> from cornet_nn.training import CorMLRClassifier, load_classifier
    >>> from geomstats_cor.datasets import load_connectomes
    >>> data = load_connectomes()
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     model = CorMLRClassifier(max_epochs=2, progress=False, directory=directory)
    ...     _ = model.fit(data.correlations, data.labels)
    ...     again = load_classifier(directory)
    >>> again.score(data.correlations, data.labels) == model.score(*data[:2])
    True
    """
    run = RunDirectory(directory)
    name = run.read_configuration()["estimator"]
    if name not in _CLASSIFIERS:
        raise RunDirectoryError(f"{run} holds no run of a classifier, but of {name!r}.")
    return _CLASSIFIERS[name].load(directory, **parameters)
