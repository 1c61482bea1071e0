"""Dropout of coordinates, and branches whose logits are added."""

import pytest
import torch

from cornet_nn import CorBranches, CorDropout, CorMLR, CorNet, CorSequential
from geomstats_cor.exceptions import ParameterError, ShapeError

from .networks import KEYS, points, space_of


def tangent(space, point):
    """Return the numbers on which dropout acts."""
    return space.metric.to_coords(point)


@pytest.mark.parametrize("key", KEYS)
class TestDropout:
    def test_entries_are_zero_or_scaled(self, key):
        torch.manual_seed(0)
        space, given = space_of(key, 4), points(4, (20, 2))
        before = tangent(space, given)
        after = tangent(space, CorDropout(space, 0.25)(given))
        kept = after.abs() > 1e-9
        expected = torch.where(kept, before / 0.75, 0.0)
        torch.testing.assert_close(after, expected, rtol=1e-7, atol=1e-8)
        assert 0.65 < float(kept.double().mean()) < 0.85

    def test_the_expectation_is_the_input(self, key):
        torch.manual_seed(0)
        space, given = space_of(key, 3), points(3)
        layer = CorDropout(space, 0.5)
        after = tangent(space, layer(given.expand(20000, 3, 3)))
        before = tangent(space, given)
        deviation = (after.mean(0) - before).abs()
        assert (deviation < 5.0 * before.abs() / 20000**0.5).all()

    def test_evaluation_is_the_identity(self, key):
        space, given = space_of(key, 4), points(4, (3, 2))
        torch.testing.assert_close(CorDropout(space).eval()(given), given)
        torch.testing.assert_close(CorDropout(space, 0.0)(given), given)

    def test_all_entries_are_dropped(self, key):
        output = CorDropout(space_of(key, 4), 1.0)(points(4, (3, 2)))
        torch.testing.assert_close(output, torch.eye(4).double().expand(3, 2, 4, 4))

    def test_fused_and_plain_agree(self, key):
        space, given = space_of(key, 4), points(4, (3, 2))
        layers = CorDropout(space, 0.4), CorMLR(space, 2, 2, dtype=torch.float64)
        outputs = []
        for fuse in (True, False):
            torch.manual_seed(0)
            outputs.append(CorSequential(*layers, fuse=fuse)(given))
        torch.testing.assert_close(*outputs, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_no_probability(p):
    with pytest.raises(ParameterError, match="p must be"):
        CorDropout(space_of("olm", 4), p)


def test_no_number():
    with pytest.raises(ParameterError):
        CorDropout(space_of("olm", 4), "half")


class TestBranches:
    def make(self):
        torch.manual_seed(0)
        return [
            CorNet(4, 3, 2, in_channels=2, metric="olm", dtype=torch.float64),
            CorNet(5, 3, 2, metric="phcm", dtype=torch.float64),
        ]

    def test_logits_are_added(self):
        branches, inputs = self.make(), (points(4, (6, 2)), points(5, (6,)))
        model = CorBranches(*branches)
        expected = branches[0](inputs[0]) + branches[1](inputs[1])
        torch.testing.assert_close(model(*inputs), expected)
        parameters = sum(len(list(branch.parameters())) for branch in branches)
        assert len(list(model.parameters())) == parameters
        model(*inputs).sum().backward()
        assert all(p.grad is not None for p in model.parameters())

    def test_errors(self):
        branches, inputs = self.make(), (points(4, (6, 2)), points(5, (6,)))
        with pytest.raises(ParameterError, match="at least one branch"):
            CorBranches()
        with pytest.raises(ShapeError, match="expected 2 inputs.*got 1"):
            CorBranches(*branches)(inputs[0])
        with pytest.raises(ShapeError, match=r"one shape, got \(6, 2\), \(5, 2\)"):
            CorBranches(*branches)(inputs[0], inputs[1][:5])
