"""Fitted classifiers from run directories."""

from geomstats_cor.exceptions import ParameterError

from .description import is_restorable, restored
from .errors import RunDirectoryError
from .run_directory import RunDirectory


def load_classifier(directory, **parameters):
    """Return the classifier of a run, as it was after the last epoch.

    Parameters
    ----------
    directory : str or path
        Run directory.
    **parameters
        Parameters that take the place of those of the run: `device`, or what a file of
        plain values cannot hold, such as a front end.

    Returns
    -------
    classifier : CorNetClassifier or CorMLRClassifier
        Fitted classifier, with the parameters of the epoch that was chosen.

    Examples
    --------
    >>> import tempfile
    >>> from geomstats_cor.datasets import load_connectomes
    >>> from cornet_nn.training import CorMLRClassifier
    >>> data = load_connectomes()
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     model = CorMLRClassifier(max_epochs=2, progress=False, directory=directory)
    ...     _ = model.fit(data.correlations, data.labels)
    ...     again = load_classifier(directory)
    >>> again.score(data.correlations, data.labels) == model.score(*data[:2])
    True
    """
    from .classifiers import CLASSIFIERS

    run = RunDirectory(directory)
    configuration, checkpoint = run.read_configuration(), run.read_checkpoint()
    try:
        Classifier = CLASSIFIERS[configuration["estimator"]]
        stored, resolved = configuration["parameters"], configuration["resolved"]
    except KeyError as error:
        raise RunDirectoryError(
            f"{run} does not hold the run of a classifier: {error} is missing."
        ) from error
    lost = [
        f"{name} ({value['object']})"
        for name, value in stored.items()
        if name not in parameters and not is_restorable(value)
    ]
    if lost:
        raise ParameterError(
            f"the run in {run} has parameters that its files cannot hold: pass "
            f"{', '.join(lost)} to load."
        )
    known = {k: restored(v) for k, v in stored.items() if is_restorable(v)}
    classifier = Classifier(**{**known, **parameters})
    classifier._restore(resolved, checkpoint)

    return classifier
