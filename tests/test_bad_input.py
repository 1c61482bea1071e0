"""Bad input at the public door: a typed error that names the value and the remedy."""

import numpy as np
import pytest
from kernels.matrices import equicorrelation, random_correlation, random_hollow
from operations import OPERATIONS, STACK_OPERATIONS, Operation, sample
from strategies import KEYS, equipped, hollow

import geomstats_cor.exceptions as ex
from geomstats_cor import FullRankCorrelationMatrices, frechet_mean

N = 4

every_metric = pytest.mark.parametrize("key", KEYS)


class MeanOperation(Operation):
    """The Fréchet mean, as if it were a method of the metric."""

    def __call__(self, metric, arguments):
        return frechet_mean(arguments["points"], metric._space)


ALL = {
    **OPERATIONS,
    **STACK_OPERATIONS,
    "frechet_mean": MeanOperation("frechet_mean", points=("points",)),
}
OF_SEVERAL = [operation for operation in ALL.values() if len(operation.names) > 1]


def with_entry(x, value, row, column):
    x = np.array(x)
    x[..., row, column] = value
    return x


def second(change):
    """Return what applies a change to the second matrix of a stack."""

    def changed(stack):
        stack = np.array(stack)
        stack[1] = change(stack[1])
        return stack

    return changed


def covariance(point):
    scale = np.array([1.0, 2.0, 1.0, 1.0])
    return scale[:, None] * point * scale


# What is wrong, how to make it so, the error, and what its message has to mention.
BAD_ARRAYS = {
    "not square": (
        lambda x: x[..., :-1],
        ex.ShapeError,
        ["{name}", "(3, 4, 3)", "square matrices"],
    ),
    "a vector": (
        lambda x: x[0, 0],
        ex.ShapeError,
        ["{name}", "(4,)", "square matrices"],
    ),
    "a number": (lambda x: x[0, 0, 0], ex.ShapeError, ["{name}", "square matrices"]),
    "of another size": (
        lambda x: np.stack([np.eye(5)] * 3),
        ex.ShapeError,
        ["{name}", "size 5", "n = 4", "FullRankCorrelationMatrices(5)"],
    ),
    "not a number": (
        second(lambda x: with_entry(x, np.nan, 0, 1)),
        ex.NotFiniteError,
        ["{name}[1]", "NaN", "check the data"],
    ),
    "infinite": (
        second(lambda x: with_entry(x, -np.inf, 2, 1)),
        ex.NotFiniteError,
        ["{name}[1]", "infinity", "check the data"],
    ),
}
BAD_POINTS = {
    "not symmetric": (
        second(lambda x: with_entry(x, x[2, 1] + 0.125, 2, 1)),
        ex.NotSymmetricError,
        ["{name}[1]", "not symmetric", "0.125", "transpose"],
    ),
    "a covariance matrix": (
        second(covariance),
        ex.NotUnitDiagonalError,
        ["{name}[1]", "has 4 at diagonal entry 1", "from_covariance"],
    ),
    "indefinite": (
        second(lambda x: equicorrelation(N, -0.5)),
        ex.NotPositiveDefiniteError,
        ["point", "[1]", "smallest eigenvalue is -0.5", "nearest_safe_point"],
    ),
    "of rank one": (
        second(lambda x: np.ones((N, N))),
        ex.NotPositiveDefiniteError,
        ["point", "[1]", "smallest eigenvalue", "nearest_safe_point", "float64"],
    ),
    "numerically singular": (
        second(lambda x: equicorrelation(N, 1.0 - 1e-16)),
        ex.NotPositiveDefiniteError,
        ["point", "[1]", "smallest eigenvalue", "nearest_safe_point", "float64"],
    ),
}
BAD_VECTORS = {
    "not symmetric": (
        second(lambda x: with_entry(x, x[2, 1] + 0.125, 2, 1)),
        ex.NotTangentError,
        ["{name}[1]", "not symmetric", "0.125", "transpose"],
    ),
    "with a diagonal": (
        second(lambda x: with_entry(x, 0.25, 2, 2)),
        ex.NotTangentError,
        ["{name}[1]", "diagonal entry of size 0.25", "to_tangent"],
    ),
}


def complaints(key, bad, names_of, make):
    """Return what is amiss in the errors of all operations, argument by argument."""
    change, error, mentions = bad
    space = equipped(N, key)
    rng = np.random.default_rng(5)
    found = []
    for title, operation in ALL.items():
        for name in names_of(operation):
            arguments = sample(operation, rng, N, lambda position: (3,))
            arguments = {k: make(v) for k, v in arguments.items()}
            arguments[name] = change(arguments[name])
            wanted = [text.format(name=name) for text in mentions]
            try:
                operation(space.metric, arguments)
            except error as raised:
                missing = [text for text in wanted if text not in str(raised)]
                found += [f"{title}: no {text!r} in {raised}" for text in missing]
            except Exception as raised:
                found.append(f"{title}, {name}: {raised!r}")
            else:
                found.append(f"{title}, {name}: no error")
    return found


def all_names(operation):
    return operation.names


def changed_before(bad, make):
    """Let the change of a bad array happen in numpy, before it becomes a tensor."""
    change, error, mentions = bad
    return lambda x: make(change(np.asarray(x))), error, mentions


class TestMatrices:
    @every_metric
    @pytest.mark.parametrize("kind", BAD_ARRAYS)
    def test_array_that_is(self, double, key, kind):
        bad = changed_before(BAD_ARRAYS[kind], double)
        assert complaints(key, bad, all_names, double) == []

    @every_metric
    @pytest.mark.parametrize("kind", BAD_POINTS)
    def test_point_that_is(self, double, key, kind):
        bad = changed_before(BAD_POINTS[kind], double)
        assert complaints(key, bad, lambda operation: operation.points, double) == []

    @every_metric
    @pytest.mark.parametrize("kind", BAD_VECTORS)
    def test_vector_that_is(self, double, key, kind):
        bad = changed_before(BAD_VECTORS[kind], double)
        assert complaints(key, bad, lambda operation: operation.vectors, double) == []

    @every_metric
    def test_single_precision_is_named(self, key):
        # Positive definite in float64, but not to the precision of float32.
        point = equicorrelation(N, 1.0 - 1e-7)
        metric = equipped(N, key).metric
        assert np.isfinite(metric.dist(point, np.eye(N)))
        with pytest.raises(ex.NotPositiveDefiniteError, match="precision of float32"):
            metric.dist(np.float32(point), np.eye(N, dtype=np.float32))

    @every_metric
    def test_index_has_all_axes_of_the_batch(self, double, rng, key):
        points = random_correlation(rng, N, 10.0, (2, 3))
        points[1, 2] = equicorrelation(N, -0.5)
        with pytest.raises(ex.NotPositiveDefiniteError, match=r"point\[1, 2\]"):
            equipped(N, key).metric.to_coords(double(points))

    @every_metric
    @pytest.mark.parametrize("name", STACK_OPERATIONS)
    def test_one_matrix_where_a_stack_is_wanted(self, double, rng, key, name):
        operation = STACK_OPERATIONS[name]
        argument = operation.points[-1]
        arguments = sample(operation, rng, N, lambda position: (3,))
        arguments = {k: double(v) for k, v in arguments.items()}
        arguments[argument] = arguments[argument][0]
        with pytest.raises(ex.ShapeError, match=rf"{argument}\[None\]"):
            operation(equipped(N, key).metric, arguments)


class TestArrays:
    @every_metric
    @pytest.mark.parametrize("dtype", ["int64", "bool", "complex128"])
    def test_of_another_dtype(self, library, double, key, dtype):
        def change(x):
            if library == "numpy":
                return x.astype(dtype)
            return x.to(getattr(pytest.importorskip("torch"), dtype))

        remedy = "real part" if dtype == "complex128" else "float64 or float32"
        bad = change, ex.ArrayTypeError, ["{name}", dtype, remedy]
        assert complaints(key, bad, all_names, double) == []

    @every_metric
    def test_of_half_precision_in_numpy(self, key):
        mentions = ["{name}", "dtype float16", "float64 or float32"]
        bad = lambda x: x.astype(np.float16), ex.ArrayTypeError, mentions
        assert complaints(key, bad, all_names, np.asarray) == []

    @every_metric
    @pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
    def test_of_half_precision_in_torch(self, rng, key, dtype):
        # Either it is refused, or the answer is right and of the same type.
        torch = pytest.importorskip("torch")
        half = getattr(torch, dtype)
        metric = equipped(3, key).metric
        accepted = 0
        for title, operation in ALL.items():
            arguments = sample(operation, rng, 3, lambda position: (2,), 2.0)
            given = {k: torch.as_tensor(v).to(half) for k, v in arguments.items()}
            try:
                actual = operation(metric, given)
            except ex.ArrayTypeError as refusal:
                assert f"has dtype {dtype}: expected float64 or float32" in str(refusal)
                continue
            accepted += 1
            expected = operation(metric, {k: v.double() for k, v in given.items()})
            assert actual.dtype == half, title
            if torch.equal(actual.double(), expected):  # such as infinite radii
                continue
            error = torch.max(torch.abs(actual.double() - expected))
            assert error <= 2 * torch.finfo(half).eps * torch.max(torch.abs(expected))
        assert accepted >= 10

    @every_metric
    def test_of_objects(self, key):
        bad = (
            lambda x: x.astype(object),
            ex.ArrayTypeError,
            ["{name}", "dtype object", "np.asarray(x, dtype=float)"],
        )
        assert complaints(key, bad, all_names, np.asarray) == []

    @every_metric
    @pytest.mark.parametrize(
        "nonsense",
        ["a string", [[1.0, 0.5], [0.5]], [["x", 1.0]], {"a": 1.0}, object()],
        ids=["string", "ragged", "words", "dict", "object"],
    )
    def test_that_are_none(self, key, nonsense):
        typename = type(nonsense).__name__
        bad = (
            lambda x: nonsense,
            ex.ArrayTypeError,
            ["{name}", typename, "nested lists"],
        )
        assert complaints(key, bad, all_names, np.asarray) == []

    @every_metric
    def test_of_two_libraries(self, rng, key):
        torch = pytest.importorskip("torch")
        for operation in OF_SEVERAL:
            arguments = sample(operation, rng, N, lambda position: (3,))
            first, *others = operation.names
            arguments[first] = torch.as_tensor(arguments[first])
            with pytest.raises(ex.ArrayTypeError, match="mix array libraries") as info:
                operation(equipped(N, key).metric, arguments)
            assert f"{first} (torch)" in str(info.value)
            assert all(f"{name} (numpy)" in str(info.value) for name in others)
            assert "torch.as_tensor" in str(info.value)

    @every_metric
    def test_of_two_precisions_give_the_finer_one(self, rng, key):
        a, b = random_correlation(rng, N, 10.0, (2,))
        dist = equipped(N, key).metric.dist
        mixed = dist(a.astype(np.float32), b)
        assert mixed.dtype == np.float64
        np.testing.assert_allclose(mixed, dist(a, b), rtol=1e-6)

    @every_metric
    def test_as_lists(self, rng, key):
        metric = equipped(3, key).metric
        for operation in ALL.values():
            arguments = sample(operation, rng, 3, lambda position: (2,))
            lists = {k: v.tolist() for k, v in arguments.items()}
            actual = np.asarray(operation(metric, lists))
            expected = operation(metric, arguments)
            np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)

    @every_metric
    def test_as_lists_of_integers(self, key):
        metric = equipped(2, key).metric
        identity, swap = [[1, 0], [0, 1]], [[0, 1], [1, 0]]
        point = np.asarray(metric.exp(swap, identity))
        expected = metric.exp(np.array(swap, float), np.eye(2))
        np.testing.assert_allclose(point, expected, rtol=1e-13)
        assert float(metric.dist(identity, identity)) == 0.0

    @every_metric
    def test_next_to_lists_decide_the_library(self, arrays, rng, key):
        metric = equipped(N, key).metric
        a, b = arrays(random_correlation(rng, N, 10.0, (2,)))
        actual = arrays.numbers(metric.dist(a, b.tolist()))
        np.testing.assert_allclose(actual, arrays.numbers(metric.dist(a, b)), rtol=1e-6)

    @every_metric
    def test_by_the_array_protocol(self, rng, key):
        class Frame:
            """What a table of pandas is to numpy."""

            def __init__(self, values):
                self.values, self.dtype = values, values.dtype

            def __array__(self, dtype=None, copy=None):
                return np.array(self.values, dtype=dtype)

        a, b = random_correlation(rng, N, 10.0, (2,))
        dist = equipped(N, key).metric.dist
        np.testing.assert_allclose(
            np.asarray(dist(Frame(a), Frame(b))), dist(a, b), rtol=1e-13
        )
        half = np.eye(N, dtype=np.float16)
        assert dist(Frame(half), b) == dist(half.astype(float), b)


class TestArguments:
    @every_metric
    def test_batches_that_do_not_broadcast(self, double, rng, key):
        for operation in OF_SEVERAL:
            if operation in STACK_OPERATIONS.values():
                continue  # all points of one stack meet all of the other
            arguments = sample(operation, rng, 3, lambda position: (2 + position,))
            arguments = {k: double(v) for k, v in arguments.items()}
            with pytest.raises(ex.ShapeError, match=r"broadcast.*x\[:, None\]") as info:
                operation(equipped(3, key).metric, arguments)
            for position, name in enumerate(operation.names):
                assert f"{name} ({2 + position},)" in str(info.value)

    @every_metric
    def test_missing_base_point(self, double, rng, key):
        operations = [o for o in OPERATIONS.values() if "base_point" in o.points]
        assert len(operations) > 15
        for operation in operations:
            arguments = sample(operation, rng, 3)
            arguments = {k: double(v) for k, v in arguments.items()}
            arguments["base_point"] = None
            with pytest.raises(ex.ShapeError, match="base_point is missing"):
                operation(equipped(3, key).metric, arguments)

    @every_metric
    def test_geodesic_needs_one_goal(self, rng, key):
        metric = equipped(3, key).metric
        a, b = random_correlation(rng, 3, 10.0, (2,))
        for goals in ({}, dict(end_point=b, initial_tangent_vec=random_hollow(rng, 3))):
            with pytest.raises(ex.ShapeError, match="end_point or.*exactly one"):
                metric.geodesic(a, **goals)

    @every_metric
    def test_transport_needs_one_goal(self, rng, key):
        metric = equipped(3, key).metric
        a, b = random_correlation(rng, 3, 10.0, (2,))
        vector = random_hollow(rng, 3)
        for goals in ({}, dict(end_point=b, direction=vector)):
            with pytest.raises(ex.ShapeError, match="end_point or.*exactly one"):
                metric.parallel_transport(vector, a, **goals)

    @every_metric
    def test_coordinates_of_the_wrong_length(self, double, key):
        metric = equipped(3, key).metric
        for coords in (np.ones(4), np.ones((3, 2)), np.array(1.0)):
            with pytest.raises(ex.ShapeError, match=r"\[..., 3\] for n = 3, got"):
                metric.from_coords(double(coords))

    @every_metric
    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_coordinates_that_are_not_finite(self, double, key, value):
        coords = np.array([[1.0, 0.5, 0.1], [0.0, value, 0.0]])
        with pytest.raises(ex.NotFiniteError, match=r"coords\[1\] has a NaN"):
            equipped(3, key).metric.from_coords(double(coords))

    @every_metric
    def test_states_of_the_wrong_shape(self, double, key):
        with pytest.raises(ex.ShapeError, match=r"a velocity, got \(3, 3\)"):
            equipped(3, key).metric.geodesic_equation(double(np.eye(3)))


class TestWithoutChecks:
    @every_metric
    def test_nothing_is_looked_at(self, double, rng, key):
        space = FullRankCorrelationMatrices(N, equip=key, check=False)
        point = double(random_correlation(rng, N))
        indefinite = double(equicorrelation(N, -0.5))
        assert np.isnan(double.numbers(space.metric.dist(indefinite, point)))
        skewed = double(covariance(random_correlation(rng, N)))
        vector = double(with_entry(random_hollow(rng, N), 0.25, 2, 2))
        assert space.metric.dist(skewed, point).shape == ()
        assert space.metric.exp(vector, point).shape == (N, N)

    @every_metric
    def test_good_input_gives_the_same(self, double, rng, key):
        a, b = double(random_correlation(rng, N, 10.0, (2,)))
        unchecked = FullRankCorrelationMatrices(N, equip=key, check=False).metric
        expected = double.numbers(equipped(N, key).metric.log(a, b))
        np.testing.assert_array_equal(double.numbers(unchecked.log(a, b)), expected)

    @every_metric
    @pytest.mark.filterwarnings("error")
    def test_no_warning_at_the_boundary(self, double, key):
        space = FullRankCorrelationMatrices(3, equip=key, check=False)
        coords = hollow(np.array([0.0, 0.0, 40.0]))
        space.metric.exp(double(coords), double(np.eye(3)))


@every_metric
def test_a_missing_point_is_named(key):
    metric = FullRankCorrelationMatrices(3, equip=key).metric
    with pytest.raises(ex.ArrayTypeError, match="point_a is None: expected an array"):
        metric.dist(None, np.eye(3))
    with pytest.raises(ex.ArrayTypeError, match="tangent_vec_b is None: expected"):
        metric.inner_product(np.zeros((3, 3)), None, np.eye(3))
