"""What the user of a reproduction chooses."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """Options of a reproduction.

    Parameters
    ----------
    data : Path or None
        Folder with the data sets, one subfolder each.
    output : Path
        Folder to write to.
    seeds : int
        Number of folds or seeds, five in the paper.
    epochs : int or None
        Number of epochs instead of that of the paper.
    only : tuple of str
        Rows and columns to compute; all if empty.
    synthetic : bool
        Whether to add the simulated radar signals as a column.
    resume : bool
        Whether to keep the cells that an earlier call has finished.
    quiet : bool
        Whether to show no progress.
    loader : dict
        Options of the loaders, such as {"view": "frame"}. Each is passed to the loaders
        that have it.
    gain : float or None
        Factor on the initial weights of correlation networks; None is the default of
        the classifiers.
    jobs : int or None
        Number of trainings at a time; one if None.

    Examples
    --------
    >>> from cornet_nn.reproduce import Options
    >>> Options(seeds=2, only=("CorNet-OLM",)).output.as_posix()
    'build/reproduce'
    """

    data: Path | None = None
    output: Path = Path("build/reproduce")
    seeds: int = 5
    epochs: int | None = None
    only: tuple = ()
    synthetic: bool = False
    resume: bool = False
    quiet: bool = False
    loader: dict = field(default_factory=dict)
    gain: float | None = None
    jobs: int | None = None
