"""Random points for tests of spaces."""

import torch


def spd(*batch, n=4, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    factor = torch.randn(*batch, n, 2 * n, generator=generator, dtype=torch.float64)
    return (factor @ factor.mT / (2 * n)).to(dtype)


def symmetric(*batch, n=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    matrix = torch.randn(*batch, n, n, generator=generator, dtype=torch.float64)
    return 0.5 * (matrix + matrix.mT)


def bases(*batch, n=7, p=3, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    columns = torch.randn(*batch, n, p, generator=generator, dtype=torch.float64)
    return torch.linalg.qr(columns)[0].to(dtype)


def rotations(*batch, p=3, seed=0):
    return bases(*batch, n=p, p=p, seed=seed)
