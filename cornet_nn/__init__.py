"""Neural layers over the geometry of full-rank correlation matrices."""

__all__ = []
