"""Networks of layers; their public names are in `cornet_nn`."""
