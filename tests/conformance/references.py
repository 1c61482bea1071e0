r"""What is known about the five metrics, from their definitions alone.

A metric is a map :math:`\phi` to coordinates y and a metric in them. With the derivatives
of the map at a point, all tensors there follow. At the identity the derivatives are
known in closed form for every n; elsewhere they are difference quotients at 60 digits.

Components refer to the basis :math:`E_{ij} + E_{ji}`, :math:`i > j`, row by row, and y to
the strict lower entries of the image.
"""

import functools

import mpmath
import numpy as np

_DIGITS = 60
_STEP = "1e-15"


def pairs(n):
    """Return the index pairs (i, j), i > j, row by row."""
    return [(i, j) for i in range(n) for j in range(i)]


def hollow(entries):
    """Return the symmetric matrices [..., n, n] with given strict lower entries."""
    entries = np.asarray(entries, dtype=float)
    n = round((1 + np.sqrt(1 + 8 * entries.shape[-1])) / 2)
    rows, columns = np.transpose(pairs(n))
    matrix = np.zeros((*entries.shape[:-1], n, n))
    matrix[..., rows, columns] = matrix[..., columns, rows] = entries
    return matrix


def correlation(entries):
    """Return the correlation matrix with given strict lower entries."""
    matrix = hollow(entries)
    return matrix + np.eye(matrix.shape[-1])


def components(matrix):
    """Return the strict lower entries of matrices."""
    rows, columns = np.transpose(pairs(matrix.shape[-1]))
    return matrix[..., rows, columns]


def image_vector(key, y):
    """Return the tangent vectors of the image space with given coordinates."""
    matrix = hollow(y)
    if key == "olm":
        return matrix
    if key == "lsm":
        return matrix - np.sum(matrix, axis=-1)[..., None] * np.eye(matrix.shape[-1])
    return np.tril(matrix)


def image_point(key, y):
    """Return the points of the image space with given coordinates."""
    matrix = image_vector(key, y)
    return matrix + np.eye(matrix.shape[-1]) if key == "ecm" else matrix


class ImageGeometry:
    """The metric of an image space, in coordinates.

    Parameters
    ----------
    key : str
        Short name of the metric.
    n : int
        Size of the matrices.
    parameters : dict
        Parameters of the metric.
    """

    def __init__(self, key, n, parameters):
        self.key, self.n, self.parameters = key, n, parameters
        self.is_flat = key != "phcm"

    def metric(self, y):
        """Return the matrix of the metric."""
        x = image_vector(self.key, np.eye(len(y)))
        trace = np.einsum("aij,bji->ab", x, x)
        if self.key == "olm":
            alpha, beta, gamma = self._coefficients("alpha", "beta", "gamma")
            sums, total = np.sum(x, axis=-1), np.sum(x, axis=(-2, -1))
            return alpha * trace + beta * sums @ sums.T + gamma * np.outer(total, total)
        if self.key == "lsm":
            alpha, delta, zeta = self._coefficients("alpha", "delta", "zeta")
            diagonal = np.einsum("aii->ai", x)
            total = np.sum(diagonal, axis=-1)
            return (
                alpha * trace
                + delta * diagonal @ diagonal.T
                + zeta * np.outer(total, total)
            )
        if self.key == "phcm":
            weights = self.parameters.get("weights", (1.0,) * (self.n - 1))
            blocks = self._hyperbolic_blocks(y)
            return sum(w * block for w, block in zip(weights, blocks, strict=True))
        return np.eye(len(y))

    def christoffels(self, y):
        """Return the Christoffel symbols, the upper index first.

        The space coordinates of a geodesic of the hyperboloid satisfy x'' = |x'|^2 x.
        """
        if self.is_flat:
            return np.zeros((len(y),) * 3)
        blocks = np.array(self._hyperbolic_blocks(y))
        return -np.einsum("kl,l,kij->lij", self._members(), y, blocks)

    def riemann(self, y):
        """Return dx^l(R(X_j, X_k) X_i), the upper index l last.

        The hyperbolic space of each row has R(A, B) C = <A, C> B - <B, C> A.
        """
        tensor = np.zeros((len(y),) * 4)
        if self.is_flat:
            return tensor
        for member, g in zip(self._members(), self._hyperbolic_blocks(y), strict=True):
            own = np.diag(member)
            tensor += np.einsum("ji,kl->ijkl", g, own)
            tensor -= np.einsum("ki,jl->ijkl", g, own)
        return tensor

    def _coefficients(self, *names):
        defaults = (1.0, 0.0, 0.0)
        given = map(self.parameters.get, names)
        if not self.parameters:
            return defaults
        return tuple(value or 0.0 for value in given)

    def _members(self):
        """Return, for each row but the first, which coordinates are its own."""
        rows = np.transpose(pairs(self.n))[0]
        return np.array([rows == i for i in range(1, self.n)], dtype=float)

    def _hyperbolic_blocks(self, y):
        """Return the metrics I - x x^T / (1 + |x|^2) of the rows."""
        own = [member * y for member in self._members()]
        return [
            np.diag(member) - np.outer(x, x) / (1.0 + x @ x)
            for member, x in zip(self._members(), own, strict=True)
        ]


class KnownPoint:
    """A point at which all tensors of a metric are known.

    Parameters
    ----------
    key : str
        Short name of the metric.
    parameters : dict
        Parameters of the metric.
    point : array, shape=[n, n]
        Correlation matrix.
    y : array, shape=[d]
        Coordinates of its image.
    jacobian : array, shape=[d, d]
        First derivatives of the coordinates.
    hessian : array, shape=[d, d, d]
        Second derivatives of the coordinates.
    """

    def __init__(self, key, parameters, point, y, jacobian, hessian):
        self.point, self.y, self.jacobian, self.hessian = point, y, jacobian, hessian
        self.inverse = np.linalg.inv(jacobian)
        self.dim = len(y)
        self.geometry = ImageGeometry(key, point.shape[-1], parameters)

    @functools.cached_property
    def metric(self):
        """Gram matrix of the basis."""
        return self.jacobian.T @ self.geometry.metric(self.y) @ self.jacobian

    @functools.cached_property
    def cometric(self):
        """Inverse of the Gram matrix."""
        return np.linalg.inv(self.metric)

    @functools.cached_property
    def christoffels(self):
        """Christoffel symbols, the upper index first."""
        moved = self._lower(self.geometry.christoffels(self.y), 1, 2) + self.hessian
        return np.tensordot(self.inverse, moved, axes=1)

    @functools.cached_property
    def metric_derivative(self):
        """Derivatives of the Gram matrix, the index of the variable last."""
        # The connection is metric: the derivative is a sum of two lowered symbols.
        lowered = np.moveaxis(
            np.tensordot(self.christoffels, self.metric, (0, 0)), 0, 2
        )
        return lowered + np.swapaxes(lowered, 0, 1)

    @functools.cached_property
    def riemann(self):
        """Components l of R(e_j, e_k) e_i, the index l last."""
        if self.geometry.is_flat:
            return _zeros((self.dim,) * 4)
        moved = self._lower(self.geometry.riemann(self.y), 0, 1, 2)
        return moved @ self.inverse.T

    @functools.cached_property
    def covariant_riemann(self):
        """Products of e_i and R(e_k, e_l) e_j."""
        if self.geometry.is_flat:
            return self.riemann
        return np.moveaxis(self.riemann @ self.metric, -1, 0)

    @functools.cached_property
    def ricci(self):
        """Ricci tensor."""
        return np.einsum("ijkj->ik", self.riemann)

    @functools.cached_property
    def scalar(self):
        """Scalar curvature."""
        return np.sum(self.cometric * self.ricci)

    def _lower(self, tensor, *axes):
        """Replace components in y by components in the basis, at lower indices."""
        for axis in axes:
            tensor = np.moveaxis(
                np.tensordot(tensor, self.jacobian, (axis, 0)), -1, axis
            )
        return tensor

    def inner_product(self, a, b):
        """Return the inner products of vectors given by components."""
        return np.sum(a @ self.metric * b, axis=-1)

    def inner_coproduct(self, a, b):
        """Return the inner products of covectors given by components."""
        return np.sum(a @ self.cometric * b, axis=-1)

    def curvature(self, a, b, c):
        """Return the components of R(A, B) C."""
        subscripts = "ijkl,...j,...k,...i->...l"
        return np.einsum(subscripts, self.riemann, a, b, c, optimize=True)

    def sectional_curvature(self, a, b):
        """Return the sectional curvatures, zero if there is no plane."""
        if self.dim == 1:
            return np.zeros(len(a))
        squares = self.inner_product(a, a) * self.inner_product(b, b)
        area = squares - self.inner_product(a, b) ** 2
        return self.inner_product(self.curvature(a, b, b), a) / area

    def acceleration(self, a):
        """Return the components of the accelerations of geodesics with velocity A."""
        return -np.einsum("lij,...i,...j->...l", self.christoffels, a, a)


@functools.cache
def _zeros(shape):
    """Return zeros, the same large array to all who ask."""
    return np.zeros(shape)


@functools.cache
def identity_hessian(key, n):
    r"""Return the second derivatives of y at the identity.

    To second order, y_ij is x_ij minus the sum over k of

    - x_ik x_jk for k < j, from the Cholesky factor (ecm, phcm);
    - the same, and x_ik x_kj / 2 for j < k < i from the logarithm (lecm);
    - x_ik x_kj / 2 for all other k, from the logarithm (olm). The scaling of lsm changes
      the diagonal alone.
    """
    index = {pair: a for a, pair in enumerate(pairs(n))}
    hessian = np.zeros((len(index),) * 3)
    for (i, j), a in index.items():
        for k in set(range(n)) - {i, j}:
            if key in ("olm", "lsm"):
                coefficient = -0.5
            elif k < j:
                coefficient = -1.0
            else:
                coefficient = -0.5 if key == "lecm" and k < i else 0.0
            b, c = index[max(i, k), min(i, k)], index[max(j, k), min(j, k)]
            hessian[a, b, c] = hessian[a, c, b] = coefficient
    return hessian


def identity(key, n, parameters):
    """Return the identity as a known point."""
    d = n * (n - 1) // 2
    hessian = identity_hessian(key, n)
    return KnownPoint(key, parameters, np.eye(n), np.zeros(d), np.eye(d), hessian)


def elsewhere(key, n, parameters):
    """Return a known point with the entries below, for n = 2 or 3."""
    entries = {2: (0.6,), 3: (0.5, -0.3, 0.2)}[n]
    derivatives = _derivatives("ecm" if key == "phcm" else key, entries)
    return KnownPoint(key, parameters, correlation(entries), *derivatives)


@functools.cache
def _derivatives(key, entries):
    """Return y and its first and second derivatives, by central differences."""
    d = len(entries)
    with mpmath.workdps(_DIGITS):
        h = mpmath.mpf(_STEP)
        # The same decimals that the float64 matrix holds, to the last bit.
        start = [mpmath.mpf(float(x)) for x in entries]

        def y(*steps):
            moved = list(start)
            for k, sign in steps:
                moved[k] += sign * h
            return np.array(_coordinates(key, moved))

        jacobian = [(y((k, 1)) - y((k, -1))) / (2 * h) for k in range(d)]
        hessian = [
            [
                (
                    y((j, 1), (k, 1))
                    - y((j, 1), (k, -1))
                    - y((j, -1), (k, 1))
                    + y((j, -1), (k, -1))
                )
                / (4 * h * h)
                for k in range(d)
            ]
            for j in range(d)
        ]
        numbers = y(), np.transpose(jacobian), np.moveaxis(hessian, -1, 0)
        return tuple(x.astype(float) for x in numbers)


def _coordinates(key, entries):
    """Return the strict lower entries of the image, as multiprecision numbers."""
    n = round((1 + (1 + 8 * len(entries)) ** 0.5) / 2)
    point = mpmath.eye(n)
    for (i, j), value in zip(pairs(n), entries, strict=True):
        point[i, j] = point[j, i] = value
    if key == "olm":
        image = _sym_log(point)
    elif key == "lsm":
        scaling = _unit_row_sums(point)
        image = _sym_log(scaling * point * scaling)
    else:
        chol = mpmath.cholesky(point)
        image = mpmath.diag([1 / chol[i, i] for i in range(n)]) * chol
        if key == "lecm":
            image = _unipotent_log(image)
    return [image[i, j] for i, j in pairs(n)]


def _sym_log(matrix):
    values, vectors = mpmath.eigsy(matrix)
    return vectors * mpmath.diag([mpmath.log(v) for v in values]) * vectors.T


def _unipotent_log(matrix):
    nilpotent = matrix - mpmath.eye(matrix.rows)
    power, result = nilpotent, mpmath.zeros(matrix.rows)
    for k in range(1, matrix.rows):
        result += power * (mpmath.mpf((-1) ** (k + 1)) / k)
        power = power * nilpotent
    return result


def _unit_row_sums(matrix):
    """Return the positive diagonal D for which D C D has unit row sums, by Newton."""
    d = mpmath.ones(matrix.rows, 1)
    for _ in range(40):
        residual = matrix * d - d.apply(lambda x: 1 / x)
        step = mpmath.lu_solve(
            matrix + mpmath.diag([1 / x**2 for x in d]), -1 * residual
        )
        d += step
        if mpmath.norm(step) < mpmath.mpf(10) ** (10 - _DIGITS):
            return mpmath.diag(list(d))
    raise ArithmeticError("the scaling did not converge")


class CorrelatedPair:
    r"""Correlation matrices with one correlation r, between the first two variables.

    Their images are multiples x(r) of one matrix, so they form a geodesic of each metric,
    with :math:`x = r / \sqrt{1 - r^2}` for ecm and lecm, :math:`\operatorname{artanh} r`
    for the others.

    Parameters
    ----------
    key : str
        Short name of the metric.
    n : int
        Size of the matrices.
    """

    def __init__(self, key, n):
        self.key = key
        self.direction = np.eye(n * (n - 1) // 2)[0]
        self._cholesky = key in ("ecm", "lecm")

    def coordinate(self, r):
        """Return x."""
        return r / np.sqrt(1.0 - r * r) if self._cholesky else np.arctanh(r)

    def correlation(self, x):
        """Return r."""
        return x / np.sqrt(1.0 + x * x) if self._cholesky else np.tanh(x)

    def slope(self, r):
        """Return the derivative of x."""
        return (1.0 - r * r) ** (-1.5 if self._cholesky else -1.0)

    def point(self, r):
        """Return the matrices with correlations r."""
        return correlation(np.multiply.outer(r, self.direction))

    def along(self, lengths):
        """Return the tangent vectors along the geodesic, with given entries."""
        return hollow(np.multiply.outer(lengths, self.direction))

    def image(self, r):
        """Return the coordinates y of the images; of a hyperboloid the space ones."""
        x = r / np.sqrt(1.0 - r * r) if self.key == "phcm" else self.coordinate(r)
        return np.multiply.outer(x, self.direction)

    def velocity(self, r, s):
        """Return the velocities of the geodesics from r to s."""
        return self.along((self.coordinate(s) - self.coordinate(r)) / self.slope(r))
