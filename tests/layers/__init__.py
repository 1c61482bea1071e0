"""Tests of the layers and models of cornet_nn."""
