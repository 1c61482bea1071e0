"""Errors and warnings of the library."""


class ConvergenceWarning(UserWarning):
    """An iteration stopped short of rounding accuracy; the message has the residual."""
