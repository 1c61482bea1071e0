"""Pure functions over arrays: the formulas of the geometry, each written once.

Every function takes arrays with any number of leading batch dimensions, and takes its
namespace from them: numpy arrays give numpy arrays, torch tensors give torch tensors,
with the dtype and on the device of the input. Nothing is validated here, and a matrix
outside the domain of a map gives NaN.

Sources of the formulas:

- Cholesky maps: Y. Thanwerdas and X. Pennec. Theoretically and computationally
  convenient geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl.
  43, 2022.
- off-log and log-scaling maps, cor-inverse: Y. Thanwerdas. Permutation-invariant
  log-Euclidean geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl.
  45, 2024. I. Archakov and P. R. Hansen. A new parametrization of correlation matrices.
  Econometrica 89, 2021. A. W. Marshall and I. Olkin. Scaling of matrices to achieve
  specified row and column sums. Numer. Math. 12, 1968.
- functions of matrices: R. Bhatia. Matrix Analysis. Springer, 1997. N. J. Higham.
  Functions of Matrices. SIAM, 2008.
- hyperbolic space: J. W. Cannon, W. J. Floyd, R. Kenyon and W. R. Parry. Hyperbolic
  geometry. Flavors of Geometry, 1997. H. Karcher. Riemannian center of mass and
  mollifier smoothing. Comm. Pure Appl. Math. 30, 1977.
- layers: Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
  correlation matrices. ICML 2026. O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic
  neural networks. NeurIPS 2018. R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural
  networks++. ICLR 2021.
- Helmert matrices: H. O. Lancaster. The Helmert matrices. Amer. Math. Monthly 72, 1965.
"""

import warnings as _warnings

from ._autodiff import prepare_torch as _prepare_torch
from .cholesky import (
    cor_inverse,
    full_rank_factor,
    strict_theta,
    theta,
    theta_differential,
    theta_differential_at,
    theta_inverse,
    theta_inverse_differential,
    theta_inverse_second_differential,
)
from .congruence import congruence_log_products
from .correlation import cor, cor_differential, cor_second_differential
from .divided_differences import (
    exp_divided_differences,
    log_divided_differences,
    power_divided_differences,
)
from .exp_scaled_maps import (
    exp_scaled,
    exp_scaled_differential,
    exp_scaled_factor,
    exp_scaled_second_differential,
)
from .factors import log_of_factor, log_scaled_of_factor, lower_factor, unit_rows
from .hyperbolic_frechet import hyperbolic_mean
from .hyperbolic_models import (
    hyperboloid_from_ball,
    hyperboloid_from_ball_differential,
    hyperboloid_from_hemisphere,
    hyperboloid_from_hemisphere_differential,
    hyperboloid_from_origin_tangent,
    hyperboloid_from_origin_tangent_differential,
    hyperboloid_to_ball,
    hyperboloid_to_ball_differential,
    hyperboloid_to_hemisphere,
    hyperboloid_to_hemisphere_differential,
    hyperboloid_to_origin_tangent,
    hyperboloid_to_origin_tangent_differential,
)
from .hyperboloid import (
    hyperbolic_boost,
    hyperbolic_curvature,
    hyperbolic_exp,
    hyperbolic_from_orthonormal,
    hyperbolic_half_sinh_square,
    hyperbolic_log,
    hyperbolic_orthonormal,
    hyperbolic_squared_dist,
    hyperbolic_transport,
    hyperboloid_time,
)
from .log_scaled_maps import (
    log_scaled,
    log_scaled_and_differential,
    log_scaled_differential,
    one_step_log_scaled,
)
from .null_row_sums import (
    center,
    from_helmert_coords,
    helmert,
    helmert_coords,
    packed_to_row0,
    row0_from_printed,
)
from .off_log_maps import (
    off_exp,
    off_exp_differential,
    off_exp_factor,
    off_exp_second_differential,
    off_log,
    off_log_and_differential,
    off_log_diagonal,
    off_log_diagonal_differential,
    off_log_differential,
    off_log_differential_inverse,
)
from .packing import hollow_row_sums, pack_strictly_lower, unpack_strictly_lower
from .poincare_ball import (
    ball_concat,
    ball_exp,
    ball_from_distances,
    ball_log,
    ball_logits,
    ball_logits_of_tangent,
    ball_split,
    beta_number,
    tangent_from_distances,
)
from .scaling import (
    log_scaling,
    log_scaling_differential,
    one_step_scaling,
    scaled_to_unit_row_sums,
)
from .symmetric import (
    spectral,
    spectral_differential,
    sym_exp,
    sym_exp_differential,
    sym_exp_second_differential,
    sym_log,
    sym_log_differential,
    sym_power,
    sym_power_differential,
)
from .triangular import (
    exp_strictly_lower,
    exp_strictly_lower_differential,
    exp_strictly_lower_second_differential,
    log_unit_lower,
    log_unit_lower_differential,
)

_prepare_torch()

__all__ = [
    "cor",
    "cor_differential",
    "cor_second_differential",
    "cor_inverse",
    "full_rank_factor",
    "theta",
    "strict_theta",
    "theta_differential",
    "theta_differential_at",
    "theta_inverse",
    "theta_inverse_differential",
    "theta_inverse_second_differential",
    "log_unit_lower",
    "log_unit_lower_differential",
    "exp_strictly_lower",
    "exp_strictly_lower_differential",
    "exp_strictly_lower_second_differential",
    "sym_log",
    "sym_log_differential",
    "sym_exp",
    "sym_exp_differential",
    "sym_exp_second_differential",
    "sym_power",
    "sym_power_differential",
    "spectral",
    "spectral_differential",
    "log_divided_differences",
    "power_divided_differences",
    "exp_divided_differences",
    "off_log",
    "off_log_and_differential",
    "off_log_differential",
    "off_log_differential_inverse",
    "off_log_diagonal",
    "off_log_diagonal_differential",
    "off_exp",
    "off_exp_differential",
    "off_exp_second_differential",
    "log_scaling",
    "log_scaling_differential",
    "scaled_to_unit_row_sums",
    "one_step_scaling",
    "log_scaled",
    "log_scaled_and_differential",
    "log_scaled_differential",
    "one_step_log_scaled",
    "exp_scaled",
    "exp_scaled_differential",
    "exp_scaled_second_differential",
    "unit_rows",
    "lower_factor",
    "log_of_factor",
    "log_scaled_of_factor",
    "off_exp_factor",
    "exp_scaled_factor",
    "congruence_log_products",
    "hyperboloid_time",
    "hyperbolic_orthonormal",
    "hyperbolic_from_orthonormal",
    "hyperbolic_half_sinh_square",
    "hyperbolic_squared_dist",
    "hyperbolic_exp",
    "hyperbolic_log",
    "hyperbolic_transport",
    "hyperbolic_boost",
    "hyperbolic_curvature",
    "hyperbolic_mean",
    "hyperboloid_to_origin_tangent",
    "hyperboloid_to_origin_tangent_differential",
    "hyperboloid_from_origin_tangent",
    "hyperboloid_from_origin_tangent_differential",
    "hyperboloid_to_ball",
    "hyperboloid_to_ball_differential",
    "hyperboloid_from_ball",
    "hyperboloid_from_ball_differential",
    "hyperboloid_to_hemisphere",
    "hyperboloid_to_hemisphere_differential",
    "hyperboloid_from_hemisphere",
    "hyperboloid_from_hemisphere_differential",
    "ball_exp",
    "ball_log",
    "ball_logits",
    "ball_logits_of_tangent",
    "ball_from_distances",
    "tangent_from_distances",
    "beta_number",
    "ball_concat",
    "ball_split",
    "pack_strictly_lower",
    "unpack_strictly_lower",
    "helmert_coords",
    "from_helmert_coords",
    "row0_from_printed",
    "hollow_row_sums",
    "packed_to_row0",
    "center",
    "helmert",
]

_FORMER_KERNELS = frozenset(
    "hollow_eigenvalues row0_eigenvalues roots scale_hollow scale_row0 "
    "scale_packed_hollow packed_hollow_norm hollow_to_coords hollow_from_coords "
    "row0_to_coords row0_from_coords".split()
)


def __getattr__(name):
    if name not in _FORMER_KERNELS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _renamed

    _warnings.warn(
        f"{name} is now a method of geomstats_cor.geometries.InvariantProduct; the old "
        "name will go with the next release.",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(_renamed, name)
