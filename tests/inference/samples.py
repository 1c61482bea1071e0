"""Random samples with known means."""

import numpy as np
from strategies import equipped


def normal_sample(space, rng, number, scale=0.5, mean=None, shift=0.0):
    """Return matrices whose logarithms at a point are normal in orthonormal frames.

    The normal distribution is symmetric, so its Fréchet mean is that point, for every
    metric. `scale` is a number or one for each coordinate, `shift` the length of a
    displacement of the mean along the first coordinate.
    """
    mean = np.eye(space.n) if mean is None else mean
    if shift:
        step = np.zeros(space.dim)
        step[0] = shift
        mean = space.metric.exp_coords(step, mean)
    coords = scale * rng.standard_normal((number, space.dim))
    return space.metric.exp_coords(coords, mean)


def two_groups(key, rng, sizes=(6, 7), n=3, shift=0.0):
    """Return a space, a sample of two groups, and their labels."""
    space = equipped(n, key)
    samples = [
        normal_sample(space, rng, size, shift=shift * group)
        for group, size in enumerate(sizes)
    ]
    return space, np.concatenate(samples), np.repeat(np.arange(len(sizes)), sizes)
