"""What a pullback metric consists of."""

from typing import Any

from ..diffeos import CorrelationDiffeo
from ..geometries import ImageMetric


class Pullback:
    """A diffeomorphism, and the metric of the space that it maps into."""

    diffeo: CorrelationDiffeo
    image_space: Any
    _space: Any

    @property
    def n(self) -> int:
        """Size of the matrices."""
        return self._space.n

    @property
    def check(self) -> bool | str:
        """Whether arguments are validated, or "strict"."""
        return self._space.check

    @property
    def geometry(self) -> ImageMetric:
        """Metric of the image space."""
        return self.image_space.metric
