"""
Geodesics and hyperplanes in the elliptope
==========================================

A 3 × 3 correlation matrix has three free entries, so it is a point of space. All of
them together fill the open elliptope. Each metric has its own straight lines there,
its own planes, and its own mean of the same data.
"""

# %%
# The manifold
# ------------
# Inside the surface matrices are positive definite; on it they are singular, and the
# four corners are the matrices of rank one. Points drawn uniformly show the volume.

import matplotlib.pyplot as plt
import numpy as np

from geomstats_cor import METRICS, FullRankCorrelationMatrices, plotting

space = FullRankCorrelationMatrices(3, equip="olm")
points = space.random_point(300, rng=0)

ax = plotting.elliptope_axes()
plotting.plot_elliptope("wire", ax=ax)
plotting.plot_points(points, ax=ax, s=8)
ax.set_title("300 correlation matrices, drawn uniformly")

# %%
# Geodesics
# ---------
# Two matrices, five shortest paths. None of them leaves the elliptope, however far it
# is followed; a straight line of entries would.

start = np.array([[1.0, 0.9, -0.3], [0.9, 1.0, -0.1], [-0.3, -0.1, 1.0]])
end = start[::-1, ::-1].copy()

ax = plotting.elliptope_axes()
plotting.plot_elliptope("wire", ax=ax)
for key in METRICS:
    equipped = FullRankCorrelationMatrices(3, equip=key)
    plotting.plot_geodesic(
        equipped,
        start,
        end,
        ax=ax,
        color=plotting.METRIC_COLORS[key],
        linewidth=2.5,
        label=key.upper(),
    )
ax.figure.legend(loc="center left")
ax.set_title("geodesics between two matrices")

# %%
# Means
# -----
# A wide cloud around one matrix, in grey, and its Fréchet mean under each metric. The
# wider the cloud, the more the means differ.

rng = np.random.default_rng(9)
cloud = space.metric.from_coords(
    space.metric.to_coords(start) + 1.6 * rng.standard_normal((60, 3))
)
ax = plotting.elliptope_axes()
plotting.plot_elliptope("wire", ax=ax)
plotting.plot_points(cloud, ax=ax, s=8, color="0.5")
plotting.plot_mean_comparison(cloud, ax=ax)
ax.figure.legend(loc="center left")
ax.set_title("one cloud, five means")

# %%
# Hyperplanes
# -----------
# A logistic regression on a manifold separates classes by hyperplanes. Here is the
# same one, through the identity with the same normal vector, under each metric.

normal = np.array([[0.0, 0.9, 0.6], [0.9, 0.0, 0.4], [0.6, 0.4, 0.0]])
figure, axes = plt.subplots(
    1, 5, figsize=(15, 3.6), subplot_kw={"projection": "3d"}, layout="constrained"
)
for key, ax in zip(METRICS, axes, strict=True):
    equipped = FullRankCorrelationMatrices(3, equip=key)
    plotting.elliptope_axes(ax)
    plotting.plot_elliptope("wire", ax=ax)
    plotting.plot_hyperplane(
        equipped,
        np.eye(3),
        normal,
        ax=ax,
        resolution=20,
        color=plotting.METRIC_COLORS[key],
        alpha=0.6,
    )
    ax.set_title(key.upper())

# %%
# To turn these pictures with the mouse, write a page and open it in a browser:
# ``python -m geomstats_cor.plotting explore -o explore.html``.
