"""Fixtures that run one test on every kind of array."""

import gc

import numpy as np
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Leave the many tests, which stay to the end, out of all search for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_tests(tmp_path_factory):
    """Keep converted data out of the cache of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CORNET_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


class ArrayType:
    """An array library and a precision, and how to call functions with them."""

    def __init__(self, library, precision):
        if library == "torch":
            self._module = pytest.importorskip("torch")
            self._class, self._make = self._module.Tensor, self._module.as_tensor
        else:
            self._module = np
            # Numpy gives a scalar of the precision for an array without axes.
            self._class, self._make = (np.ndarray, np.generic), np.asarray
        self.precision = precision
        self.dtype = getattr(self._module, precision)
        self.eps = float(np.finfo(precision).eps)

    def __call__(self, values):
        """Return values as an array of this type."""
        return self._make(values, dtype=self.dtype)

    def numbers(self, array):
        """Return the entries in float64, once the array is known to be of this type."""
        assert isinstance(array, self._class), type(array)
        assert array.dtype == self.dtype
        return np.asarray(array).astype(np.float64)

    def rounded(self, values):
        """Return, in float64, what values become in this precision."""
        return self.numbers(self(values))

    def apply(self, function, *arguments):
        """Call a function with arrays of this type, and return the numbers it answers.

        Numpy arrays among the arguments are converted; the answer has to be an array
        of the same library and precision.
        """
        converted = [self(a) if isinstance(a, np.ndarray) else a for a in arguments]
        return self.numbers(function(*converted))


@pytest.fixture(params=["numpy", "torch"])
def library(request):
    """Name of an array library."""
    return request.param


@pytest.fixture(params=["float64", "float32"])
def arrays(library, request):
    """Arrays of each library, in each precision."""
    return ArrayType(library, request.param)


@pytest.fixture
def double(library):
    """Arrays of each library, in float64."""
    return ArrayType(library, "float64")


@pytest.fixture
def rng():
    """Return a generator of random numbers, the same in every run."""
    return np.random.default_rng(20260)
