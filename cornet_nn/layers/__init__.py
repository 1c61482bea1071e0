"""Layers; their public names are in `cornet_nn`."""
