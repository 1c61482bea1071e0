"""Means and variances of matrices that come in blocks."""
