"""Stacks of correlation matrices: reading, checking, repairing, labelling, sampling."""
