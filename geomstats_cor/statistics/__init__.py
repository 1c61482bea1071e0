"""Means, medians and variances of correlation matrices, in memory and streamed."""
