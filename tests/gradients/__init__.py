"""Derivatives of kernels and metrics in torch."""
