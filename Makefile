# make help lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed.stamp
DEMO := build/demo

# Two pytest workers, one thread each: the workers are the parallelism.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

# The tests that depend on the backend geomstats was imported with.
BACKEND_TESTS := $(wildcard tests/conformance tests/backends)

.PHONY: help setup demo test test-slow quick lint clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile

setup: $(STAMP) ## Create .venv and install the package in it (PYTHON= chooses the interpreter)

$(STAMP): setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[nn,baselines,plot,dask,tables,progress,examples,test]'
	touch $@

demo: setup ## Means of connectomes, hyperplanes, and networks under the five metrics
	MPLBACKEND=Agg $(BIN)/python examples/plot_connectome_means.py \
		--output $(DEMO)/connectome_geodesics.png
	$(BIN)/python -m geomstats_cor.plotting hyperplanes -o $(DEMO)/hyperplanes.png
	rm -rf $(DEMO)/radar-synthetic $(DEMO)/connectomes
	$(ONE_THREAD) $(BIN)/cornet compare radar-synthetic --option representation=covariance \
		--epochs 10 --folds 3 --run-dir $(DEMO)/radar-synthetic
	$(ONE_THREAD) $(BIN)/cornet compare connectomes \
		--folds 5 --seeds 0 1 2 --run-dir $(DEMO)/connectomes

test: lint ## Check style, then run the tests under numpy and pytorch backends of geomstats
	$(ONE_THREAD) GEOMSTATS_BACKEND=numpy $(PYTEST) -m "not slow"
	$(if $(BACKEND_TESTS),$(ONE_THREAD) GEOMSTATS_BACKEND=pytorch $(PYTEST) $(BACKEND_TESTS))

test-slow: setup ## Run the tests that `test` leaves out: generated code, more points of a kind
	$(ONE_THREAD) GEOMSTATS_BACKEND=numpy $(PYTEST) -m slow

# One test of each promise: definitions of metrics and layers, a plain loop of torch, runs
# on disk, the command line.
QUICK := tests/test_definitions.py tests/layers/test_mlr_definition.py \
	tests/layers/test_fc_definition.py tests/training/test_skorch.py \
	tests/training/test_schedule.py tests/command_line/test_defaults.py \
	tests/command_line/test_runner.py tests/command_line/test_files.py

quick: setup ## Run a selection of the tests, in less than a minute
	$(ONE_THREAD) GEOMSTATS_BACKEND=numpy $(PYTEST) -q $(QUICK)

lint: setup ## Check style, formatting and types
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

.PHONY: bench bench-full
bench: $(VENV)/bench.stamp ## Ratios to floors, to geomstats and to targets, in a few minutes
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.against_geomstats
	$(BIN)/python -m benchmarks.cornet

bench-full: $(VENV)/bench.stamp ## The same with n = 1000, growth, larger batches and more rounds: hours
	$(BIN)/python -m benchmarks --full
	$(BIN)/python -m benchmarks.cornet --full

$(VENV)/bench.stamp: $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[nn,bench]'
	touch $@

.PHONY: docs
docs: $(VENV)/docs.stamp ## Build the site into docs/_build/html; every warning is an error
	MPLBACKEND=Agg $(ONE_THREAD) $(BIN)/python -m sphinx -W --keep-going \
		-d docs/_build/doctrees docs docs/_build/html

$(VENV)/docs.stamp: $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[nn,plot,dask,progress,examples,docs]'
	touch $@

clean: ## Remove everything the other targets made, .venv included
	rm -rf $(VENV) build docs/_build docs/api docs/auto_examples *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
