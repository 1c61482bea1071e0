"""Data for the abstract test cases of geomstats, for every test they contain.

Tests of random data, vectorization and shapes are recognized by their signatures. Tests
against known values have a method each, with data from `references`.
"""

import inspect
from pathlib import Path

import geomstats.backend as gs
import numpy as np
from geomstats.test.data import TestData
from geomstats.test.vectorization import KNOWN_ARGS

from . import references
from .configurations import FOURTH_ORDER, LARGE
from .references import hollow

# Geomstats draws these as tangent vectors; here they are vectors of components.
_COVECTORS = {"cotangent_vec_a", "cotangent_vec_b"}

GOLDEN = Path(__file__).parents[1] / "data" / "golden.npz"


def names_of_tests(case):
    """Return the names of the tests of a case, without the prefix.

    Parameters
    ----------
    case : type
        Test case.

    Returns
    -------
    names : list of str
        Names.
    """
    return [name[5:] for name in dir(case) if name.startswith("test_")]


class ConformanceData(TestData):
    """Data for all tests of a case, none of which is retried, skipped or excused.

    Parameters
    ----------
    case : type
        Test case.
    geometry : object
        What the case tests: tests of its methods against known values also serve as
        tests of their vectorization.
    exceptions : collection of str
        Names of tests that get no data.
    """

    trials = 1
    fail_for_autodiff_exceptions = True
    fail_for_not_implemented_errors = True

    N_VEC_REPS = [2]
    N_SHAPE_POINTS = [1, 3]
    N_RANDOM_POINTS = [1, 3]
    N_TIME_POINTS = [1, 3]

    atol = 1e-10

    def __init__(self, case, geometry=None, exceptions=()):
        by_signature = {
            ("n_points",): self.generate_shape_data,
            ("n_points", "atol"): self.generate_random_data,
            ("n_points", "n_times", "atol"): self.generate_random_data_with_time,
            ("n_reps", "atol"): self.generate_vec_data,
            ("n_reps", "n_times", "atol"): self.generate_vec_data_with_time,
        }
        self.exceptions, self.tolerances = exceptions, {}
        for name in names_of_tests(case):
            if name in exceptions:
                continue
            arguments = _arguments(case, name)
            if arguments in by_signature:
                self._add(name, by_signature[arguments])
            elif self._vectorizes(case, geometry, name, arguments):
                self._add(f"{name}_vec", self.generate_vec_data)
            if "atol" in arguments:
                self.tolerances[name] = dict(atol=self.atol)

    def __dir__(self):
        """Hide the data of the exceptions: a test is run if there are data for it."""
        hidden = {f"{name}_test_data" for name in self.exceptions}
        return [name for name in super().__dir__() if name not in hidden]

    def _add(self, name, generate):
        if not hasattr(self, f"{name}_test_data"):
            setattr(self, f"{name}_test_data", generate)
        self.tolerances[name] = dict(atol=self.atol)

    def _vectorizes(self, case, geometry, name, arguments):
        """Tell whether geomstats can turn a test into one of vectorization."""
        inputs = set(arguments) - {"expected", "atol"}
        return (
            hasattr(geometry, name)
            and not hasattr(case, f"test_{name}_vec")
            and len(inputs) > 0
            and inputs <= set(KNOWN_ARGS) - _COVECTORS
        )

    def known(self, *data):
        """Return tests of known values, whose numpy arrays become arrays of geomstats.

        Parameters
        ----------
        *data : dict
            Arguments of the test.

        Returns
        -------
        tests : list of dict
            Tests.
        """
        return self.generate_tests(
            [{name: _as_backend(x) for name, x in datum.items()} for datum in data]
        )


def _arguments(case, name):
    signature = inspect.signature(getattr(case, f"test_{name}"))
    return tuple(signature.parameters)[1:]


def _as_backend(x):
    if isinstance(x, np.ndarray | np.floating):
        return gs.from_numpy(np.asarray(x))
    return tuple(map(_as_backend, x)) if isinstance(x, tuple) else x


class ManifoldData(ConformanceData):
    """Data for the manifold.

    Parameters
    ----------
    case : type
        Test case.
    space : FullRankCorrelationMatrices
        Manifold.
    """

    def __init__(self, case, space):
        super().__init__(case, space)
        self.n = space.n
        ramp = np.arange(1.0, space.n + 1.0)
        # The correlations r^|i - j| of a stationary sequence.
        self.point = 0.5 ** np.abs(ramp[:, None] - ramp)
        self.scales = ramp
        self.covariance = ramp[:, None] * self.point * ramp
        self.vector = self.point - np.eye(self.n)
        self.skew = np.triu(self.point, 1) - np.tril(self.point, -1)

    def dim_test_data(self):
        """Return the number of correlations."""
        return self.known(dict(expected=self.n * (self.n - 1) // 2))

    def belongs_test_data(self):
        """Return matrices with and without the properties of a correlation matrix."""
        singular = np.ones((self.n, self.n))
        indefinite = singular - 2.0 * self.vector
        return self.known(
            dict(point=self.point, expected=True),
            dict(point=np.eye(self.n), expected=True),
            dict(point=self.covariance, expected=False),
            dict(point=self.point + self.skew, expected=False),
            dict(point=singular, expected=False),
            dict(point=singular + np.eye(self.n) - self.covariance, expected=False),
            dict(point=indefinite - 4.0 * self.vector, expected=False),
            dict(
                point=np.stack([self.point, singular, self.covariance]),
                expected=np.array([True, False, False]),
            ),
        )

    def is_tangent_test_data(self):
        """Return matrices with and without the properties of a tangent vector."""
        return self.known(
            dict(vector=self.vector, base_point=self.point, expected=True),
            dict(vector=1e6 * self.vector, base_point=self.point, expected=True),
            dict(vector=self.point, base_point=self.point, expected=False),
            dict(vector=self.skew, base_point=self.point, expected=False),
            dict(
                vector=np.stack([self.vector, self.point]),
                base_point=self.point,
                expected=np.array([True, False]),
            ),
        )

    def to_tangent_test_data(self):
        """Return matrices and their symmetric hollow parts."""
        return self.known(
            dict(
                vector=self.point + self.skew,
                base_point=self.point,
                expected=self.vector,
            ),
            dict(vector=self.skew, base_point=self.point, expected=0.0 * self.skew),
        )

    def regularize_test_data(self):
        """Return points, which regularization leaves alone up to rounding."""
        return self.known(
            dict(point=self.point, expected=self.point),
            dict(point=(1.0 + 1e-12) * self.point, expected=self.point),
        )

    def projection_test_data(self):
        """Return points, scaled points and points with a skew part."""
        return self.known(
            dict(point=self.point, expected=self.point),
            dict(point=self.covariance, expected=self.point),
            dict(point=self.point + self.skew, expected=self.point),
        )

    def submersion_test_data(self):
        """Return matrices and their diagonals minus one."""
        return self.known(
            dict(point=self.covariance, expected=self.scales**2 - 1.0),
            dict(point=self.point, expected=np.zeros(self.n)),
        )

    def submersion_is_zero_test_data(self):
        """Return points."""
        batch = np.stack([self.point, np.eye(self.n)])
        return self.known(
            dict(point=self.point, submersion_shape=(self.n,)),
            dict(point=batch, submersion_shape=(self.n,)),
        )

    def tangent_submersion_test_data(self):
        """Return matrices and their diagonals."""
        return self.known(
            dict(vector=self.covariance, point=self.point, expected=self.scales**2),
            dict(vector=self.vector, point=self.point, expected=np.zeros(self.n)),
        )

    def tangent_submersion_is_zero_test_data(self):
        """Return tangent vectors."""
        batch = np.stack([self.point, np.eye(self.n)])
        return self.known(
            dict(
                tangent_vector=self.vector,
                point=self.point,
                tangent_submersion_shape=(self.n,),
            ),
            dict(
                tangent_vector=self.vector,
                point=batch,
                tangent_submersion_shape=(self.n,),
            ),
        )

    def from_covariance_test_data(self):
        """Return covariance matrices and their correlation matrices."""
        return self.known(
            dict(point=self.covariance, expected=self.point),
            dict(point=np.diag(self.scales), expected=np.eye(self.n)),
        )

    def diag_action_test_data(self):
        """Return scales, correlation matrices and their covariance matrices."""
        return self.known(
            dict(diagonal_vec=self.scales, point=self.point, expected=self.covariance)
        )


class _MapData(ConformanceData):
    """What is known of the map of a metric: points, their images, golden values."""

    def __init__(self, case, configuration, **kwargs):
        super().__init__(case, **kwargs)
        key, n, parameters = configuration
        self.key, self.n = key, n
        self.points = [references.identity(key, n, parameters)]
        if n <= 3:
            self.points.append(references.elsewhere(key, n, parameters))
        self.pair = references.CorrelatedPair(key, n)
        self.golden = [] if parameters else _golden(key, n)
        # Vectors by components, in general position if there is room.
        d = n * (n - 1) // 2
        steps = np.arange(1.0, d + 1.0)
        self.vectors = np.cos(np.multiply.outer([1.0, 2.0, 3.0, 5.0], steps)) / d


def _golden(key, n):
    """Return the golden cases of a size, a dictionary of arrays each."""
    cases = []
    with np.load(GOLDEN) as arrays:
        for k in range(int(arrays["count"])):
            if arrays[f"case{k}/C"].shape[-1] == n:
                case = {name: arrays[f"case{k}/{name}"] for name in "CBVW"}
                for name in ("phi", "dist", "inner", "exp", "log", "pt", "mid"):
                    case[name] = arrays[f"case{k}/{key}/{name}"]
                cases.append(case)
    return cases


class DiffeoData(_MapData):
    """Data for a diffeomorphism.

    Parameters
    ----------
    case : type
        Test case.
    configuration : Configuration
        Metric and size.
    """

    def _images(self):
        """Yield points and their images."""
        for known in self.points:
            yield known.point, references.image_point(self.key, known.y)
        r = np.array([-0.9, 0.6])
        yield self.pair.point(r), references.image_point(self.key, self.pair.image(r))
        for case in self.golden:
            yield case["C"], case["phi"] + (np.eye(self.n) if self.key == "ecm" else 0)

    def diffeomorphism_test_data(self):
        """Return points and their images."""
        return self.known(
            *(dict(base_point=point, expected=image) for point, image in self._images())
        )

    def inverse_test_data(self):
        """Return images and their points."""
        return self.known(
            *(
                dict(image_point=image, expected=point)
                for point, image in self._images()
            )
        )

    def _differentials(self):
        """Yield ways to tell the point, tangent vectors and their images."""
        for known in self.points:
            point = dict(base_point=known.point)
            image = dict(image_point=references.image_point(self.key, known.y))
            moved = self.vectors @ known.jacobian.T
            for where in (point, image, point | image):
                yield (
                    where,
                    hollow(self.vectors),
                    references.image_vector(self.key, moved),
                )

    def tangent_test_data(self):
        """Return tangent vectors and their images."""
        return self.known(
            *(
                dict(tangent_vec=vector, expected=image, **where)
                for where, vector, image in self._differentials()
            )
        )

    def inverse_tangent_test_data(self):
        """Return the same the other way round."""
        return self.known(
            *(
                dict(image_tangent_vec=image, expected=vector, **where)
                for where, vector, image in self._differentials()
            )
        )


class MetricData(_MapData):
    """Data for a metric.

    Parameters
    ----------
    case : type
        Test case.
    configuration : Configuration
        Metric and size.
    space : FullRankCorrelationMatrices
        Equipped space.
    exceptions : collection of str
        Names of tests that get no data.
    """

    def __init__(self, case, configuration, space, exceptions=()):
        self._is_large = configuration.n >= LARGE
        if self._is_large:
            self.N_RANDOM_POINTS = self.N_TIME_POINTS = [3]
        super().__init__(
            case, configuration, geometry=space.metric, exceptions=exceptions
        )
        # Along the geodesic of correlated pairs, lengths are multiples of this.
        e = self.pair.direction
        self.unit = np.sqrt(self.points[0].inner_product(e, e))
        # All of -0.3, 0.6 and 0.8 are moderate; one geodesic has no length.
        self.start = np.array([0.0, 0.6, 0.6])
        self.end = np.array([0.8, -0.3, 0.6])

    def _add(self, name, generate):
        if self._is_large and name in FOURTH_ORDER:
            generate = self.generate_single_random_data
        super()._add(name, generate)

    def _vectorizes(self, case, geometry, name, arguments):
        # How results depend on batch shapes does not depend on n.
        if self._is_large:
            return False
        return super()._vectorizes(case, geometry, name, arguments)

    def generate_single_random_data(self):
        """Return the test of one random point."""
        return self.generate_tests([dict(n_points=1)])

    def _at_points(self, expected, **arguments):
        """Return one test for each known point.

        Parameters
        ----------
        expected : callable
            Expected value at a known point.
        **arguments : array
            Other arguments.
        """
        return self.known(
            *(
                dict(base_point=known.point, expected=expected(known), **arguments)
                for known in self.points
            )
        )

    def metric_matrix_test_data(self):
        """Return Gram matrices of the basis."""
        return self._at_points(lambda known: known.metric)

    def cometric_matrix_test_data(self):
        """Return their inverses."""
        return self._at_points(lambda known: known.cometric)

    def inner_product_derivative_matrix_test_data(self):
        """Return their derivatives."""
        return self._at_points(lambda known: known.metric_derivative)

    def christoffels_test_data(self):
        """Return Christoffel symbols."""
        return self._at_points(lambda known: known.christoffels)

    def riemann_tensor_test_data(self):
        """Return curvature tensors."""
        return self._at_points(lambda known: known.riemann)

    def covariant_riemann_tensor_test_data(self):
        """Return curvature tensors without an upper index."""
        return self._at_points(lambda known: known.covariant_riemann)

    def ricci_tensor_test_data(self):
        """Return Ricci tensors."""
        return self._at_points(lambda known: known.ricci)

    def scalar_curvature_test_data(self):
        """Return scalar curvatures."""
        return self._at_points(lambda known: known.scalar)

    def injectivity_radius_test_data(self):
        """Return infinity: every two points are joined by exactly one geodesic."""
        return self._at_points(lambda known: np.inf)

    def inner_product_test_data(self):
        """Return inner products from Gram matrices, and golden values."""
        a, b = self.vectors[[0, 0, 1]], self.vectors[[0, 1, 2]]
        golden = (
            dict(
                tangent_vec_a=case["V"],
                tangent_vec_b=case["W"],
                base_point=case["C"],
                expected=case["inner"],
            )
            for case in self.golden
        )
        return self._at_points(
            lambda known: known.inner_product(a, b),
            tangent_vec_a=hollow(a),
            tangent_vec_b=hollow(b),
        ) + self.known(*golden)

    def _lengths(self):
        """Yield vectors, points and lengths."""
        for known in self.points:
            squares = known.inner_product(self.vectors, self.vectors)
            yield hollow(self.vectors), known.point, np.sqrt(squares)
        lengths = self.pair.slope(self.start) * self.unit
        yield self.pair.along(1.0), self.pair.point(self.start), lengths

    def squared_norm_test_data(self):
        """Return squared lengths."""
        return self.known(
            *(
                dict(vector=vector, base_point=point, expected=length**2)
                for vector, point, length in self._lengths()
            )
        )

    def norm_test_data(self):
        """Return lengths."""
        return self.known(
            *(
                dict(vector=vector, base_point=point, expected=length)
                for vector, point, length in self._lengths()
            )
        )

    def normalize_test_data(self):
        """Return vectors and unit vectors."""
        return self.known(
            *(
                dict(
                    vector=vector,
                    base_point=point,
                    expected=vector / length[:, None, None],
                )
                for vector, point, length in self._lengths()
            )
        )

    def normal_basis_test_data(self):
        """Return bases, each element of which is to be normalized."""
        basis = hollow(np.eye(self.points[0].dim))
        return self._at_points(
            lambda known: basis / np.sqrt(np.diag(known.metric))[:, None, None],
            basis=basis,
        )

    def inner_coproduct_test_data(self):
        """Return products of covectors, given by components."""
        a, b = self.vectors[[0, 0, 1]], self.vectors[[0, 1, 2]]
        return self._at_points(
            lambda known: known.inner_coproduct(a, b),
            cotangent_vec_a=a,
            cotangent_vec_b=b,
        )

    def hamiltonian_test_data(self):
        """Return points with covectors, and half the squared lengths of those."""
        p = self.vectors
        return self.known(
            *(
                dict(state=(known.point, p), expected=0.5 * known.inner_coproduct(p, p))
                for known in self.points
            )
        )

    def geodesic_equation_test_data(self):
        """Return states of geodesics and their derivatives."""
        data = []
        for known in self.points:
            velocity = hollow(self.vectors)
            acceleration = hollow(known.acceleration(self.vectors))
            position = np.broadcast_to(known.point, velocity.shape)
            data.append(
                dict(
                    state=np.stack([position, velocity], axis=1),
                    expected=np.stack([velocity, acceleration], axis=1),
                )
            )
        return self.known(*data)

    def curvature_test_data(self):
        """Return R(A, B) C."""
        a, b, c = self.vectors[[0, 1]], self.vectors[[1, 3]], self.vectors[[2, 1]]
        return self._at_points(
            lambda known: hollow(known.curvature(a, b, c)),
            tangent_vec_a=hollow(a),
            tangent_vec_b=hollow(b),
            tangent_vec_c=hollow(c),
        )

    def directional_curvature_test_data(self):
        """Return R(B, A) B."""
        a, b = self.vectors[[0, 2]], self.vectors[[1, 3]]
        return self._at_points(
            lambda known: hollow(known.curvature(b, a, b)),
            tangent_vec_a=hollow(a),
            tangent_vec_b=hollow(b),
        )

    def sectional_curvature_test_data(self):
        """Return sectional curvatures, in general planes and within and across rows."""
        e = np.eye(self.points[0].dim)
        a = np.stack([self.vectors[0], e[0], e[-2:][0]])
        b = np.stack([self.vectors[1], e[-1], e[-1]])
        return self._at_points(
            lambda known: known.sectional_curvature(a, b),
            tangent_vec_a=hollow(a),
            tangent_vec_b=hollow(b),
        )

    def curvature_derivative_test_data(self):
        """Return zero: the spaces are symmetric."""
        names = [f"tangent_vec_{letter}" for letter in "abcd"]
        return self._at_points(
            lambda known: np.zeros((self.n, self.n)),
            **dict(zip(names, hollow(self.vectors), strict=True)),
        )

    def directional_curvature_derivative_test_data(self):
        """Return zero."""
        return self._at_points(
            lambda known: np.zeros((self.n, self.n)),
            tangent_vec_a=hollow(self.vectors[0]),
            tangent_vec_b=hollow(self.vectors[1]),
        )

    def exp_test_data(self):
        """Return ends of geodesics of correlated pairs, and golden values."""
        pair = dict(
            tangent_vec=self.pair.velocity(self.start, self.end),
            base_point=self.pair.point(self.start),
            expected=self.pair.point(self.end),
        )
        golden = (
            dict(tangent_vec=case["V"], base_point=case["C"], expected=case["exp"])
            for case in self.golden
        )
        return self.known(pair, *golden)

    def log_test_data(self):
        """Return velocities of geodesics of correlated pairs, and golden values."""
        pair = dict(
            point=self.pair.point(self.end),
            base_point=self.pair.point(self.start),
            expected=self.pair.velocity(self.start, self.end),
        )
        golden = (
            dict(point=case["B"], base_point=case["C"], expected=case["log"])
            for case in self.golden
        )
        return self.known(pair, *golden)

    def _distances(self):
        """Yield points and their distances."""
        gaps = self.pair.coordinate(self.end) - self.pair.coordinate(self.start)
        start, end = self.pair.point(self.start), self.pair.point(self.end)
        yield start, end, np.abs(gaps) * self.unit
        for case in self.golden:
            yield case["C"], case["B"], case["dist"]

    def dist_test_data(self):
        """Return distances."""
        return self.known(
            *(dict(point_a=a, point_b=b, expected=x) for a, b, x in self._distances())
        )

    def squared_dist_test_data(self):
        """Return squared distances."""
        return self.known(
            *(
                dict(point_a=a, point_b=b, expected=x**2)
                for a, b, x in self._distances()
            )
        )

    def diameter_test_data(self):
        """Return points of a geodesic: the diameter is the distance of its ends."""
        points = self.pair.point(np.array([0.1, -0.7, 0.5, 0.0]))
        extent = self.pair.coordinate(0.5) - self.pair.coordinate(-0.7)
        golden = (
            dict(points=np.stack([case["C"], case["B"]]), expected=case["dist"])
            for case in self.golden
        )
        return self.known(dict(points=points, expected=extent * self.unit), *golden)

    def geodesic_test_data(self):
        """Return geodesics of correlated pairs, and golden midpoints and ends."""
        times = np.array([0.0, 0.25, 1.0])
        x, y = self.pair.coordinate(self.start), self.pair.coordinate(self.end)
        path = self.pair.correlation(x[:, None] + np.multiply.outer(y - x, times))
        pair = dict(
            initial_point=self.pair.point(self.start),
            time=times,
            expected=self.pair.point(path),
        )
        data = [
            dict(end_point=self.pair.point(self.end), **pair),
            dict(initial_tangent_vec=self.pair.velocity(self.start, self.end), **pair),
        ]
        for case in self.golden:
            data.append(
                dict(
                    initial_point=case["C"],
                    end_point=case["B"],
                    time=np.array([0.5, 1.0]),
                    expected=np.stack([case["mid"], case["B"]]),
                )
            )
            data.append(
                dict(
                    initial_point=case["C"],
                    initial_tangent_vec=case["V"],
                    time=1.0,
                    expected=case["exp"][None],
                )
            )
        return self.known(*data)

    def parallel_transport_test_data(self):
        """Return velocities of geodesics of correlated pairs, and golden values."""
        pair = dict(
            tangent_vec=self.pair.along(1.0),
            base_point=self.pair.point(self.start),
            expected=self.pair.along(
                self.pair.slope(self.start) / self.pair.slope(self.end)
            ),
        )
        data = [
            dict(end_point=self.pair.point(self.end), **pair),
            dict(direction=self.pair.velocity(self.start, self.end), **pair),
        ]
        for case in self.golden:
            golden = dict(
                tangent_vec=case["V"], base_point=case["C"], expected=case["pt"]
            )
            data.append(dict(end_point=case["B"], **golden))
            data.append(dict(direction=case["log"], **golden))
        return self.known(*data)


class ComparisonData(ConformanceData):
    """Data for the comparison of two metrics or two diffeomorphisms.

    Parameters
    ----------
    case : type
        Test case.
    n : int
        Size of the matrices.
    exceptions : collection of str
        Names of tests that get no data.
    """

    def __init__(self, case, n, exceptions=()):
        super().__init__(case, exceptions=exceptions)
        # Correlations r^|i - j| of two stationary sequences.
        lags = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        start, end = 0.5**lags, (-0.7) ** lags
        values = dict.fromkeys(("base_point", "initial_point", "point_a"), start)
        values |= dict.fromkeys(("point", "end_point", "point_b"), end)
        vector, other = (start - np.eye(n)) / n, (end - np.eye(n)) / n
        names = ("vector", "initial_tangent_vec", "tangent_vec", "cotangent_vec_a")
        values |= dict.fromkeys((*names, "tangent_vec_a", "tangent_vec_c"), vector)
        names = ("direction", "cotangent_vec_b", "tangent_vec_b", "tangent_vec_d")
        values |= dict.fromkeys(names, other)
        values["time"] = np.array([0.0, 0.3, 1.0])
        for name in names_of_tests(case):
            arguments = _arguments(case, name)[:-1]
            if values.keys() >= set(arguments):
                self._add(name, lambda a=arguments: self._values(values, a))

    def _values(self, values, arguments):
        return self.known({name: values[name] for name in arguments})
