"""Tests about means and dispersions, and confidence regions."""
