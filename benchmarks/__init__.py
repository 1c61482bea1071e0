"""Benchmarks of the geometry: ratios to floors and to geomstats, next to targets."""
