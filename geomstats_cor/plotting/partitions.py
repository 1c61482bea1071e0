"""Surfaces between the regions into which labels divide the elliptope.

The cube of angles (see `elliptope`) is cut into tetrahedra. Where the corners of a
tetrahedron have different labels, its edges, faces and inside have points at which two,
three and four regions meet, and triangles between them separate the regions. These
regions share the points, so that nothing gapes where several of them meet.
"""

import itertools
from collections.abc import Callable

import numpy as np

from ..kernels._quotients import divide
from .elliptope import as_numpy
from .level_sets import LevelSet, angle_grid, points_from_angles, welded

# The six tetrahedra of a cell share its diagonal; rows are steps along the three axes.
_TETRAHEDRA = np.array(
    [
        np.concatenate([[[0, 0, 0]], np.cumsum(np.eye(3, dtype=int)[list(order)], 0)])
        for order in itertools.permutations(range(3))
    ]
)


def region_boundaries(
    decide: Callable, resolution: int, shrinkage: float, halvings: int = 20
) -> dict:
    """Return the boundary of the region of each label.

    Parameters
    ----------
    decide : callable
        Maps matrices [k, 3, 3] to labels [k].
    resolution : int
        Number of cells of the grid in each direction.
    shrinkage : float
        Amount of shrinkage towards the identity, which keeps off the boundary of the
        elliptope.
    halvings : int
        How often an edge between two labels is halved to find where the label changes.

    Returns
    -------
    boundaries : dict of LevelSet
        Boundary of each region, by label, without the part that is the boundary of the
        elliptope. The normals of its triangles point out of the region.
    """
    side = angle_grid(resolution)
    grid = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1)
    nodes = grid.reshape(-1, 3)

    def decide_at(angles):
        return as_numpy(decide(points_from_angles(angles, shrinkage)))

    names, labels = np.unique(decide_at(nodes), return_inverse=True)
    labels = labels.reshape(-1)
    if len(names) == 1:
        return {names.item(): LevelSet(np.empty((0, 3, 3)), np.empty((0, 3), int))}
    corners, pairs = _separating_triangles(
        _mixed_tetrahedra(resolution, labels), labels
    )
    keys, faces = np.unique(corners.reshape(-1, 4), axis=0, return_inverse=True)
    faces = faces.reshape(-1, 3)
    shared, solved = _meeting_points(decide_at, nodes, keys, names[labels], halvings)
    faces = _oriented(decide_at, faces, shared, nodes[pairs], names[labels[pairs]])
    inside, outside = labels[pairs].T
    boundaries = {}
    for k, name in enumerate(names.tolist()):
        mine = np.concatenate([faces[inside == k], faces[outside == k, ::-1]])
        angles = shared.copy()
        # Another region lies between, thinner than a cell: end where this one ends.
        which = np.setdiff1d(mine, np.flatnonzero(solved))
        angles[which] = _ends_of_region(decide_at, nodes, keys[which], labels, k, name)
        found = LevelSet(points_from_angles(angles, shrinkage), mine)
        boundaries[name] = welded(found)
    return boundaries


def _mixed_tetrahedra(resolution, labels):
    """Return the nodes of the tetrahedra with several labels, sorted by label."""
    side = resolution + 1
    number = np.arange(side**3).reshape(side, side, side)
    cells = [
        np.stack(
            [number[i : i + resolution, j : j + resolution, k : k + resolution].ravel()
             for i, j, k in tetrahedron],
            axis=-1,
        )
        for tetrahedron in _TETRAHEDRA
    ]  # fmt: skip
    nodes = np.concatenate(cells)
    found = labels[nodes]
    nodes = nodes[np.any(found != found[:, :1], axis=-1)]
    order = np.argsort(labels[nodes], axis=-1, kind="stable")
    return np.take_along_axis(nodes, order, axis=-1)


def _separating_triangles(nodes, labels):
    """Return triangles inside tetrahedra, and nodes on both sides of each.

    A corner of a triangle is named by the nodes between which it lies, padded by -1:
    two for an edge, three for a face, four for the inside of a tetrahedron.
    """
    found = labels[nodes]
    same = found[:, 1:] == found[:, :-1]
    parts = [(np.empty((0, 3, 4), int), np.empty((0, 2), int))]

    def add(pair, *polygon):
        corners = np.stack([_name(corner) for corner in polygon], axis=1)
        for k in range(1, len(polygon) - 1):
            parts.append((corners[:, [0, k, k + 1]], np.stack(pair, axis=-1)))

    def tetrahedra(*pattern):
        return nodes[np.all(same == pattern, axis=-1)].T

    # One corner apart from three others.
    for pattern, order in (((0, 1, 1), (0, 1, 2, 3)), ((1, 1, 0), (3, 0, 1, 2))):
        a, b, c, d = tetrahedra(*pattern)[list(order)]
        add((a, b), (a, b), (a, c), (a, d))
    # Two and two.
    a, b, c, d = tetrahedra(1, 0, 1)
    add((a, c), (a, c), (a, d), (b, d), (b, c))
    # Two, one and one: three regions meet along a segment.
    for pattern, order in (
        ((1, 0, 0), (0, 1, 2, 3)),
        ((0, 1, 0), (1, 2, 0, 3)),
        ((0, 0, 1), (2, 3, 0, 1)),
    ):
        a, b, c, d = tetrahedra(*pattern)[list(order)]
        add((c, d), (c, d), (a, c, d), (b, c, d))
        add((a, c), (a, c), (a, c, d), (b, c, d), (b, c))
        add((a, d), (a, d), (a, c, d), (b, c, d), (b, d))
    # Four regions meet in a point.
    corners = tetrahedra(0, 0, 0)
    for i, j in itertools.combinations(range(4), 2):
        k, m = sorted({0, 1, 2, 3} - {i, j})
        a, b, c, d = corners[[i, j, k, m]]
        add((a, b), (a, b), (a, b, c), (a, b, c, d), (a, b, d))
    triangles, pairs = zip(*parts, strict=True)
    return np.concatenate(triangles), np.concatenate(pairs)


def _name(nodes):
    """Return sorted nodes, padded by -1 in front, shape=[k, 4]."""
    padding = [np.full_like(nodes[0], -1)] * (4 - len(nodes))
    return np.sort(np.stack([*padding, *nodes], axis=-1), axis=-1)


def _meeting_points(decide_at, nodes, keys, names, halvings):
    """Return the angles at which the regions of some nodes meet.

    Returns
    -------
    angles : array, shape=[k, 3]
        Angles.
    solved : array of bool, shape=[k]
        Whether the regions do meet there.
    """
    angles, solved = np.empty((len(keys), 3)), np.ones(len(keys), dtype=bool)
    count = np.sum(keys >= 0, axis=-1)
    edges, faces, cells = (np.flatnonzero(count == size) for size in (2, 3, 4))
    chosen = keys[edges, 2:]
    angles[edges], solved[edges] = _between(
        decide_at, nodes[chosen], names[chosen], halvings
    )
    for which, size in ((edges[~solved[edges]], 2), (faces, 3)):
        chosen = keys[which, 4 - size :]
        found = _gathered(decide_at, nodes[chosen], names[chosen])
        angles[which], solved[which] = found
    for cell in cells:
        around = np.all(np.isin(keys[faces, 1:], keys[cell]), axis=-1)
        angles[cell] = angles[faces[around]].mean(axis=0)
    return angles, solved


def _ends_of_region(decide_at, nodes, keys, labels, label, name, halvings=20):
    """Find where a region ends between its own node and another one of a group."""
    own = (keys >= 0) & (labels[keys] == label)
    other = (keys >= 0) & ~own
    each = np.arange(len(keys))
    low, high = (nodes[keys[each, part.argmax(axis=1)]] for part in (own, other))
    if len(keys):
        for _ in range(halvings):
            middle = 0.5 * (low + high)
            still = (decide_at(middle) == name)[:, None]
            low, high = np.where(still, middle, low), np.where(still, high, middle)
    return 0.5 * (low + high)


def _between(decide_at, ends, names, halvings):
    """Find where the label changes between two points with different labels.

    Returns
    -------
    points : array, shape=[k, 3]
        Middles of what halving leaves of the segments.
    direct : array of bool, shape=[k]
        Whether no third label was met; halving stops where one is.
    """
    ends = ends.copy()
    direct = np.ones(len(ends), dtype=bool)
    for _ in range(halvings):
        active = np.flatnonzero(direct)
        if not len(active):
            break
        middle = ends[active].mean(axis=1)
        same = decide_at(middle)[:, None] == names[active]
        for end in range(2):
            ends[active[same[:, end]], end] = middle[same[:, end]]
        direct[active] = same.any(axis=-1)
    return ends.mean(axis=1), direct


def _gathered(decide_at, groups, names, rounds=40, samples=24):
    """Find where regions meet near groups of points with different labels.

    Points are drawn in a ball around each group. Of them and the group, those of each
    label that are closest to a common one form the next group: it is at most as wide.

    Returns
    -------
    points : array, shape=[k, 3]
        Middles of the last groups.
    close : array of bool, shape=[k]
        Whether the points of the last group coincide.
    """
    rng = np.random.default_rng(0)
    points, close = groups.mean(axis=1), np.zeros(len(groups), dtype=bool)
    limit = 1e-5 * np.linalg.norm(groups - groups[:, :1], axis=-1).max(axis=-1)
    active = np.arange(len(groups))
    for _ in range(rounds):
        if not len(active):
            break
        center = groups.mean(axis=1, keepdims=True)
        reach = np.linalg.norm(groups - center, axis=-1).max(axis=-1)[:, None, None]
        ball = rng.standard_normal((samples, 3))
        ball *= np.cbrt(rng.random((samples, 1))) / np.linalg.norm(
            ball, axis=-1, keepdims=True
        )
        drawn = np.clip(center + reach * ball, -0.5 * np.pi, 0.5 * np.pi)
        found = decide_at(drawn.reshape(-1, 3)).reshape(len(active), samples)
        pool = np.concatenate([groups, drawn], axis=1)
        labels = np.concatenate([names, found], axis=1)
        gaps = np.linalg.norm(pool[:, :, None] - pool[:, None], axis=-1)
        # From every point of the pool, the closest one of each label.
        gaps = np.where(
            labels[:, None, None] == names[:, None, :, None], gaps[:, :, None], np.inf
        )
        widths = gaps.min(axis=-1).max(axis=-1)
        best = np.argmin(widths, axis=-1)[:, None]
        closest = np.take_along_axis(gaps, best[..., None, None], axis=1)[:, 0]
        groups = np.take_along_axis(pool, closest.argmin(axis=-1)[..., None], axis=1)
        points[active] = groups.mean(axis=1)
        near = np.take_along_axis(widths, best, axis=1)[:, 0] < limit[active]
        close[active[near]] = True
        active, groups, names = active[~near], groups[~near], names[~near]
    return points, close


def _oriented(decide_at, faces, angles, ends, names):
    """Turn triangles so that their normals point from the first region to the second.

    The labels on both sides of a triangle tell; where they do not, the nodes between
    which it lies do. The map from angles to entries keeps orientation.
    """
    a, b, c = (angles[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    step = divide(normals, length)
    step *= 0.05 * np.linalg.norm(ends[:, 1] - ends[:, 0], axis=-1)[:, None]
    center = (a + b + c) / 3.0
    right, turned = (
        np.stack([decide_at(np.clip(x, -0.5 * np.pi, 0.5 * np.pi)) for x in sides], -1)
        == names
        for sides in ((center - step, center + step), (center + step, center - step))
    )
    right, turned = right.sum(axis=-1), turned.sum(axis=-1)
    against = np.sum(normals * (ends[:, 1] - ends[:, 0]), axis=-1) < 0.0
    turned = np.where(right == turned, against, turned > right)
    return np.where(turned[:, None], faces[:, ::-1], faces)
