"""Subspaces of the segments of sequences, as an option of the loaders."""

import numpy as np
import pytest

from cornet_nn.datasets import load
from cornet_nn.datasets.matrices import segment_subspaces
from geomstats_cor.exceptions import DataError, DataWarning, ParameterError


def walk(frames=100, n=12, seed=0):
    return np.random.default_rng(seed).standard_normal((frames, n))


def test_bases_are_leading_left_singular_vectors():
    frames = walk(96)
    bases = segment_subspaces(frames, segments=8, dimension=3)
    assert bases.shape == (8, 12, 3)
    for basis, segment in zip(bases, np.split(frames, 8), strict=True):
        np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-12)
        values, vectors = np.linalg.eigh(segment.T @ segment)
        expected = vectors[:, -3:] @ vectors[:, -3:].T
        np.testing.assert_allclose(basis @ basis.T, expected, atol=1e-10)


def test_near_equal_segments_take_every_frame_once():
    frames = np.zeros((29, 12))
    frames[np.arange(29), np.arange(29) % 12] = 1.0 + np.arange(29)
    for number, basis in enumerate(segment_subspaces(frames, 3, 1)):
        end = round(29 * (number + 1) / 3)
        # The largest frame of a segment is its last.
        assert abs(basis[(end - 1) % 12, 0]) > 0.99


def test_segments_overlap_where_frames_are_few():
    bases = segment_subspaces(walk(12), segments=8, dimension=5)
    expected = np.linalg.svd(walk(12)[:5].T, full_matrices=False)[0]
    np.testing.assert_allclose(bases[0] @ bases[0].T, expected @ expected.T, atol=1e-10)


def test_centring():
    shifted = segment_subspaces(100.0 + walk(), 4, 3, center=True)
    plain = segment_subspaces(walk(), 4, 3, center=True)
    for a, b in zip(shifted, plain, strict=True):
        np.testing.assert_allclose(a @ a.T, b @ b.T, atol=1e-8)


def test_errors():
    with pytest.raises(DataError, match="has 4 frames: at least 5"):
        segment_subspaces(walk(4), 2, 5)
    with pytest.raises(ParameterError, match="dimension < 12"):
        segment_subspaces(walk(), 2, 12)
    still = walk()
    still[50:, 2:] = 0.0
    with pytest.raises(DataError, match="rank 2 in segment 1"):
        segment_subspaces(still, 2, 5)


def test_loaders_have_the_option(tmp_path):
    lengths = np.array([40, 50, 3])
    np.savez(
        tmp_path / "walks.npz", X=walk(93), L=lengths, y=[0, 1, 0], names=list("abc")
    )
    options = dict(representation="subspace", segments=4, dimension=5, cache=False)
    with pytest.warns(DataWarning, match="c has 3 frames"):
        data = load(tmp_path / "walks.npz", progress=False, **options)
    assert data.kind == "subspace"
    assert data.inputs.shape == (2, 4, 12, 5)
    with pytest.raises(ParameterError, match="not for representation='subspace'"):
        load(tmp_path / "walks.npz", progress=False, correlation=True, **options)
    radar = load("radar-synthetic", representation="subspace", signals=3, length=400)
    assert radar.inputs.shape == (3, 8, 20, 4)
