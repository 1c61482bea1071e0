"""Accuracy of all networks of the paper on data that is at hand.

    python -m benchmarks.baselines --data DIR --jobs 2 --document docs/baselines.md

The fourteen networks for comparison and the five correlation networks, five seeds each,
under one budget: the same optimizer, batches and number of epochs, and a learning rate
that is chosen for each training part by a fifth of it, held out, among the same
candidates. Nothing is chosen by a test part; the parameters after the last epoch are
tested, and the best of the last ten epochs is shown beside it, because published
numbers mix the two. Each cell is written to a file when it is computed, and is not
computed again.
"""

import argparse
import json
import statistics
import time
import warnings
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from cornet_nn.baselines import BASELINES
from cornet_nn.baselines.classifier import AMSGrad
from cornet_nn.baselines.epochs import EpochClassifier, TestedEpochs
from cornet_nn.reproduce.published import published_results
from geomstats_cor.exceptions import GeomstatsCorError

from .baseline_problems import PROBLEMS
from .real_data import replace_between

RATES = (1e-3, 5e-3, 2e-2)
EPOCHS, BATCH, LAST, SEEDS = 40, 30, 10, 5
