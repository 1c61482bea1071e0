"""Names for types that annotations use."""

from typing import Any, TypeAlias

#: A numpy array or a torch tensor: torch need not be installed.
Array: TypeAlias = Any
#: An array, or nested sequences of numbers, or a table with named columns.
ArrayLike: TypeAlias = Any
