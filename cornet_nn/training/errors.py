"""Errors and warnings of training."""

from geomstats_cor.exceptions import GeomstatsCorError


class TrainingDivergedError(GeomstatsCorError, ArithmeticError):
    """The loss or a gradient is not a finite number.

    Parameters
    ----------
    message : str
        Message, with the likely reason.
    epoch, batch : int
        Where it happened, both counted from 1.

    Examples
    --------
    >>> from cornet_nn.training import CorMLRClassifier, TrainingDivergedError
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> points = FullRankCorrelationMatrices(4, equip=False).random_point(8, rng=0)
    >>> model = CorMLRClassifier(
    ...     optimizer="adam", lr=1e30, random_state=0, progress=False
    ... )
    >>> try:
    ...     model.fit(points, [0, 1] * 4)
    ... except TrainingDivergedError as error:
    ...     print(error.epoch is not None, "learning rate" in str(error))
    True True
    """

    def __init__(self, message, epoch=None, batch=None):
        super().__init__(message)
        self.epoch, self.batch = epoch, batch


class RunDirectoryError(GeomstatsCorError, OSError):
    """A run directory cannot be written or read, or already holds a run.

    Examples
    --------
    >>> from cornet_nn.training import RunDirectoryError, load_classifier
    >>> try:
    ...     load_classifier("no_such_run")
    ... except RunDirectoryError as error:
    ...     print("no_such_run" in str(error))
    True
    """


class ResumeError(GeomstatsCorError, ValueError):
    """A run cannot be resumed with other parameters or other data.

    Examples
    --------
    >>> import tempfile
    >>> from cornet_nn.training import CorMLRClassifier, ResumeError
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> points = FullRankCorrelationMatrices(4, equip=False).random_point(8, rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = CorMLRClassifier(max_epochs=1, directory=folder, progress=False)
    ...     _ = model.fit(points, [0, 1] * 4)
    ...     try:
    ...         model.set_params(lr=0.5, resume=True).fit(points, [0, 1] * 4)
    ...     except ResumeError as error:
    ...         print("lr" in str(error))
    True
    """


class TrainingInterruptedWarning(UserWarning):
    """Training was stopped by the keyboard; what was learnt so far is kept.

    Examples
    --------
    >>> import warnings
    >>> from cornet_nn.training import TrainingInterruptedWarning
    >>> warnings.simplefilter("error", TrainingInterruptedWarning)  # an error instead
    >>> warnings.simplefilter("default", TrainingInterruptedWarning)
    """
