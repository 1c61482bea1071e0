"""From a sequence to its covariance matrices, by stated steps."""

import dataclasses
import functools
from typing import Any

import numpy as np
import torch

from cornet_nn.embedding import GaussianEmbedding, JointFeatures, TemporalPyramid
from cornet_nn.front_end import PowerCorrelation
from geomstats_cor.exceptions import DataError, ParameterError
from geomstats_cor.validation import require_choice

from . import skeletons
from .matrices import regularized, require_covariances, segment_subspaces
from .skeletons import Skeleton

# Steps that need the whole sequence, all bodies of it.
_PLACING = ("center", "lengths", "view")


@dataclasses.dataclass(frozen=True)
class SequenceMatrices:
    """The covariance matrices of a sequence of frames.

    Parameters
    ----------
    skeleton : Skeleton or None
        Skeleton of the joints; None for a sequence of plain numbers, of which only
        covariance matrices can be made.
    representation : str
        "gaussian" makes matrices [28, 28] of the Gaussian embeddings of the frames,
        "covariance" those of the coordinates, and "subspace" orthonormal bases
        [segments, n, dimension] of the leading left singular vectors of segments.
    frames : int or None
        Number of frames to which every sequence is resampled, by linear interpolation
        before all other steps; None keeps those that there are.
    center : str or None
        "frame" or "first": subtract the root of each frame, or of the first. The
        coordinates of the root are left out of a covariance if they are zero in all
        frames.
    lengths : tuple of float or None
        Length of the bone of each joint, to which all sequences are normalised.
    view : str or None
        "frame" or "first": align the view by each frame, or by the first.
    root : bool
        Whether to keep the root, such as the wrist of a hand: without it, 20 joints are
        left of 21. It is left out after the steps above, which need it.
    neighbors : tuple
        Of the Gaussian embedding, "left", "right", "bottom" or indices: a set of
        matrices is made with each.
    levels : int
        Number of levels of the temporal pyramid: 1 for the whole sequence, 2 for its
        halves too.
    frame_shrinkage : float
        Shrinkage of the covariance over the joints of a frame.
    shrinkage : float
        Shrinkage of the covariance over time.
    ridge : float
        Ridge of the covariance over time. If it is positive, a constant sequence is
        kept, with the matrix ridge I.
    augmented : bool
        Whether to keep the mean m over time beside the covariance S of each window, as
        [S + m m', m; m', 1], with one more row and column.
    segments : int
        Number of segments of the representation "subspace".
    dimension : int
        Dimension of its subspaces.
    segment_center : bool
        Whether to subtract the mean of each of its segments.
    power : float
        Power of the covariance matrices, before Cor; only with correlation.
    correlation : bool
        Whether to return the correlation matrices of the powers.
    dtype : str
        Precision of the result; the computation is in float64.

    Examples
    --------
    >>> import numpy as np
    >>> from cornet_nn.datasets import FPHA, SequenceMatrices
    >>> hand = np.random.default_rng(0).standard_normal((30, 21, 3))
    >>> SequenceMatrices(FPHA, neighbors=("left", "right", "bottom"))(hand).shape
    (9, 28, 28)
    >>> SequenceMatrices(FPHA, representation="covariance", levels=1)(hand).shape
    (63, 63)
    >>> SequenceMatrices(FPHA, representation="subspace", dimension=3)(hand).shape
    (8, 63, 3)
    """

    skeleton: Skeleton | None = None
    representation: str = "gaussian"
    frames: int | None = None
    center: str | None = None
    lengths: tuple | None = None
    view: str | None = None
    root: bool = True
    neighbors: tuple = ("left",)
    levels: int = 2
    frame_shrinkage: float = 1e-3
    shrinkage: float = 1e-3
    ridge: float = 0.0
    augmented: bool = False
    segments: int = 8
    dimension: int = 10
    segment_center: bool = False
    power: float = 1.0
    correlation: bool = False
    dtype: str = "float64"

    def __post_init__(self):
        forms = ("gaussian", "covariance", "subspace")
        require_choice("representation", self.representation, forms)
        require_choice("dtype", self.dtype, ("float32", "float64"))
        if self.representation == "subspace" and (self.correlation or self.augmented):
            raise ParameterError(
                "correlation and augmented are for covariance matrices, not for "
                "representation='subspace'"
            )
        if self.power != 1.0 and not self.correlation:
            raise ParameterError(
                "a power is taken before Cor: it needs correlation=True. Leave both "
                "to the network for a power that can be tuned."
            )
        if self.levels < 1:
            raise ParameterError(f"levels is at least 1, not {self.levels}")
        if self.frames is not None and self.frames < 2**self.levels:
            raise ParameterError(
                f"frames must be at least {2**self.levels} for a pyramid of "
                f"{self.levels} levels, got {self.frames}"
            )
        if self.skeleton is None:
            given = {
                "center": self.center,
                "bone_lengths": self.lengths,
                "view": self.view,
                "root=False": not self.root,
                "representation='gaussian'": self.representation == "gaussian",
            }
            if any(given.values()):
                names = ", ".join(name for name, value in given.items() if value)
                raise ParameterError(f"{names} need a skeleton")
        elif self.representation == "gaussian":
            object.__setattr__(self, "neighbors", _sides(self.neighbors))
            if not self.neighbors:
                raise ParameterError("the Gaussian embedding needs neighbors")
            for side in self.neighbors:
                self._kept_skeleton.neighbors(side)

    @property
    def _kept_skeleton(self):
        if self.root:
            return self.skeleton
        return skeletons.without_roots(self.skeleton)

    @property
    def kind(self):
        """Kind of the matrices."""
        if self.representation == "subspace":
            return "subspace"
        return "correlation" if self.correlation else "covariance"

    def __call__(self, sequence):
        """Return the matrices of a sequence.

        Parameters
        ----------
        sequence : array, shape=[T, joints, 3] or [T, k]
            Sequence.

        Returns
        -------
        matrices : array, shape=[c, n, n], or [n, n] if there is one
            Matrices of the windows of each set of neighbours; orthonormal bases
            [segments, n, dimension] of the representation "subspace".
        """
        placed = self.placed(sequence)
        if self.skeleton is not None and self.skeleton.apart:
            how: dict[str, Any] = dict.fromkeys(("frames", *_PLACING))
            each = dataclasses.replace(self, skeleton=self.skeleton.body, **how)
            bodies = np.split(placed, self.skeleton.bodies, axis=1)
            parts = [each(joints) for joints in bodies]
            return np.concatenate([p.reshape(-1, *p.shape[-2:]) for p in parts])
        if self.representation == "subspace":
            chosen = self.segments, self.dimension, self.segment_center
            bases = segment_subspaces(self._coordinates(placed), *chosen)
            return bases.astype(self.dtype)
        covariances = self._covariances(placed)
        require_covariances(covariances)
        if self.correlation:
            front_end = PowerCorrelation(self.power)
            covariances = front_end(torch.from_numpy(covariances)).numpy()
        matrices = covariances.reshape(-1, *covariances.shape[-2:])
        return (matrices[0] if len(matrices) == 1 else matrices).astype(self.dtype)

    def placed(self, sequence):
        """Return a sequence resampled, centred, resized and aligned, as chosen.

        Parameters
        ----------
        sequence : array, shape=[T, joints, 3] or [T, k]
            Sequence.

        Returns
        -------
        placed : array, shape=[T, joints, 3], or [T, k] without a skeleton
            Sequence, with the root.
        """
        sequence = self._checked(np.asarray(sequence, dtype=np.float64))
        if self.skeleton is None:
            return sequence
        if self.center:
            sequence = skeletons.centered(sequence, self.skeleton.root, self.center)
        if self.lengths is not None:
            chosen = self.skeleton, np.array(self.lengths)
            sequence = skeletons.with_bone_lengths(sequence, *chosen)
        if self.view:
            sequence = skeletons.aligned(sequence, self.skeleton, self.view)
        return sequence

    def _checked(self, sequence):
        if not sequence.size:
            raise DataError("is empty")
        if self.skeleton is not None:
            sequence = sequence.reshape(len(sequence), -1)
            expected = 3 * len(self.skeleton.joints)
            if sequence.shape[1] != expected:
                raise DataError(
                    f"has {sequence.shape[1]} coordinates in a frame: expected "
                    f"{expected}, three for each of {len(self.skeleton.joints)} joints"
                )
            sequence = sequence.reshape(len(sequence), -1, 3)
        needed, reason = 2**self.levels, f"a pyramid of {self.levels} levels"
        if self.representation == "subspace":
            needed, reason = 1, "subspaces"
        if self.frames is not None:
            needed, reason = 2, "resampling"
        if len(sequence) < needed:
            raise DataError(
                f"has {len(sequence)} frames: at least {needed} are needed for {reason}"
            )
        bad = ~np.isfinite(sequence).reshape(len(sequence), -1).all(axis=1)
        if bad.any():
            raise DataError(f"has a NaN or an infinity in frame {np.argmax(bad)}")
        if self.frames is None:
            return sequence
        return skeletons.resampled(sequence, self.frames)

    def _covariances(self, sequence):
        """Return the matrices of the windows, shape=[..., windows, n, n]."""
        if self.representation == "gaussian":
            features = self._embedded(self._kept(sequence))
        else:
            features = self._coordinates(sequence)
        frames = torch.from_numpy(features)
        covariances = TemporalPyramid(self.levels, self.shrinkage)(frames).numpy()
        self._require_motion(features, covariances)
        covariances = regularized(covariances, ridge=self.ridge)
        if not self.augmented:
            return covariances
        pyramid = TemporalPyramid(self.levels, self.shrinkage, augmented=True)
        size = features.shape[-1]
        # The ridge belongs to S, not to the entry that is one.
        return pyramid(frames).numpy() + self.ridge * np.diag([1.0] * size + [0.0])

    def _kept(self, sequence):
        """Return the joints without the root, if it is left out."""
        if self.skeleton is None or self.root:
            return sequence
        is_root = np.array(self.skeleton.parents) == -1
        return sequence[:, ~is_root]

    def _coordinates(self, sequence):
        """Return the coordinates of frames, without those that are always zero."""
        sequence = self._kept(sequence)
        if self.skeleton is not None and self.center == "frame" and self.root:
            sequence = np.delete(sequence, self.skeleton.root, axis=1)
        return sequence.reshape(len(sequence), -1)

    def _embedded(self, joints):
        if not self.augmented and not np.ptp(joints, axis=0).any():
            # The embedding of the frames is constant as well, where it exists.
            return np.zeros((len(self.neighbors), len(joints), 28))
        coincide = ~np.ptp(joints, axis=1).any(axis=-1)
        if coincide.any():
            raise DataError(f"has joints that coincide in frame {np.argmax(coincide)}")
        embedding = GaussianEmbedding(self.frame_shrinkage)
        frames = torch.from_numpy(joints)
        return torch.stack(
            [
                embedding(JointFeatures(self._kept_skeleton.neighbors(side))(frames))
                for side in self.neighbors
            ]
        ).numpy()

    def _require_motion(self, features, covariances):
        if self.ridge > 0.0:
            return
        size = features.shape[-1]
        rounding = (64 * np.finfo(np.float64).eps * np.abs(features).max()) ** 2
        still = np.trace(covariances, axis1=-2, axis2=-1) <= size * rounding
        if still.all():
            raise DataError("is constant (a ridge keeps it)")
        if still.any():
            window = int(np.argwhere(still)[0, -1])
            raise DataError(f"is constant in window {window} (a ridge keeps it)")


def _sides(neighbors):
    """Return sets of neighbours as a tuple, from one set or many."""
    is_one = isinstance(neighbors, str) or (
        len(neighbors)
        and np.ndim(neighbors[0]) == 0
        and not isinstance(neighbors[0], str)
    )
    return tuple(
        side if isinstance(side, str) else tuple(map(int, side))
        for side in ((neighbors,) if is_one else neighbors)
    )


def sequence_dataset(name, conversion, items, read, skeleton, steps, **about):
    """Read sequences, and return their matrices as a data set.

    Parameters
    ----------
    name : str
        Name of the data set.
    conversion : Conversion
        How to convert.
    items : sequence of tuple
        Name of each sequence, and what it is read from.
    read : callable
        Returns a sequence. One that cannot be read is left out.
    skeleton : Skeleton or None
        Skeleton.
    steps : dict
        Parameters of `SequenceMatrices`, but `bone_lengths` for `lengths`.
    **about
        `options` of `read`, all `files` that are read if they are not the items, and
        labels and so on for `Converted.dataset`.

    Returns
    -------
    dataset : Dataset
        Data set.
    """
    options, files = about.pop("options", {}), about.pop("files", None)
    steps, lengths = dict(steps), None
    if steps.pop("bone_lengths"):
        reader = functools.partial(read, **options)
        lengths = reference_lengths([item for _, item in items], skeleton, reader)
    matrices = SequenceMatrices(skeleton, lengths=lengths, **steps)
    convert = functools.partial(_read_and_convert, read)
    settings = {"matrices": matrices, **options}
    converted = conversion.run(name, convert, items, settings, files)
    return converted.dataset(name, matrices.kind, **about)


def _read_and_convert(read, item, matrices, **options):
    return matrices(read(item, **options))


def reference_lengths(sequences, skeleton, read=np.asarray):
    """Return the lengths of the bones of the first sequence that has them.

    Those of its first body, for all bodies.

    Parameters
    ----------
    sequences : iterable of array, shape=[T, joints, 3] or [T, 3 joints]
        Sequences, or what they are read from.
    skeleton : Skeleton
        Skeleton.
    read : callable
        Returns a sequence. One that cannot be read is left to the conversion to report.

    Returns
    -------
    lengths : tuple of float
        Length of the bone of each joint.
    """
    for sequence in sequences:
        try:
            joints = np.asarray(read(sequence), dtype=np.float64)
        except (OSError, ValueError, EOFError):
            continue
        if joints.size and joints[0].size == 3 * len(skeleton.joints):
            body = skeleton.body
            joints = joints.reshape(len(joints), -1, 3)[:, : len(body.joints)]
            lengths = skeletons.bone_lengths(joints, body)
            is_root = np.array(body.parents) == -1
            if np.isfinite(lengths).all() and (lengths[~is_root] > 0.0).all():
                return skeleton.bodies * tuple(lengths.tolist())
    raise DataError("no sequence has bones, whose lengths the others could take")
