"""CPU time of an epoch of every network of the paper, at the sizes of FPHA.

    python -m benchmarks.baseline_cost --document docs/baselines.md

A step is a batch of 30 samples, forward and backward, on one thread; an epoch is the
600 samples of the training part. The input is random: [9, 28, 28] covariance matrices,
one of size 63, or subspaces [8, 63, 10], with 45 classes. Ratios to CorNet-ECM stand
beside those of the paper's seconds. For networks with scores under the affine-invariant
metric, the bare eigendecompositions of a step are timed in the same run, and a step in
a process of its own shows how much memory it takes. Times are the least of several.
"""

import argparse
import multiprocessing
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

import torch

from cornet_nn import CorNet
from cornet_nn.baselines import BASELINES
from cornet_nn.reproduce.report import published_results
from cornet_nn.spaces import orthonormal_basis

from .real_data import replace_marked

BATCH, STEPS, CLASSES, CHANNELS, N = 30, 20, 45, 9, 28
INPUTS = {
    "channels": (CHANNELS, N, N),
    "covariance": (1, 63, 63),
    "subspaces": (8, 63, 10),
}
SIZES = {"GyroSPD++": (21,)}
# Outputs that have scores under AIM.
OUTPUTS = {"GyroAI": CLASSES, "GyroSPD++": 21 * 22 // 2}


def main():
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baseline_cost")
    parser.add_argument("--document", type=Path, help="file whose part is replaced")
    parser.add_argument("--repetitions", type=int, default=10)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    text = report(arguments.repetitions)
    print(text)
    if arguments.document:
        replace_marked(arguments.document, text, "cost")


def report(repetitions):
    """Return the Markdown of the table."""
    published = {
        cell.method: cell.seconds
        for cell in published_results("main").itertuples()
        if cell.data == "FPHA"
    }
    measured = {name: step_seconds(name, repetitions) for name in published}
    base, paper = measured["CorNet-ECM"], published["CorNet-ECM"]
    lines = [
        f"Measured {date.today()} with torch {version('torch')}, one thread.",
        "",
        "| network | CPU s of an epoch | ratio to CorNet-ECM | ratio in the paper |",
        "|---|---|---|---|",
        *(
            f"| {name} | {STEPS * seconds:.3g} | {seconds / base:.1f} "
            f"| {published[name] / paper:.1f} |"
            for name, seconds in measured.items()
        ),
        "",
    ]
    for name, outputs in OUTPUTS.items():
        bare, forward = decomposition_seconds(name, outputs, repetitions)
        lines.append(
            f"- {name}: {BATCH * outputs * CHANNELS} eigendecompositions a step, "
            f"{bare:.3g} s alone; forward {forward / bare:.2f} times that, forward and "
            f"backward {measured[name] / bare:.2f} times. A step takes "
            f"{memory_of_a_step(name):.0f} MiB."
        )
    return "\n".join(lines)


def step_seconds(name, repetitions):
    """Return the least CPU seconds of a forward and backward pass."""
    model, inputs = network_of(name)
    labels = torch.arange(BATCH) % CLASSES
    features = model.features(inputs).detach()

    def step():
        logits = model.from_features(features)
        torch.nn.functional.cross_entropy(logits, labels).backward()

    return _least_seconds(step, repetitions)


def decomposition_seconds(name, outputs, repetitions):
    """Return CPU seconds of bare decompositions of a step, and of a forward pass."""
    model, inputs = network_of(name)
    features = model.features(inputs).detach()
    # As many matrices as scores, a few outputs at a time as in the layer.
    some = inputs[:, None].expand(BATCH, 3, *inputs.shape[1:]).contiguous()
    bare = _least_seconds(lambda: torch.linalg.eigh(some), repetitions)

    def forward():
        with torch.no_grad():
            model.from_features(features)

    return bare * outputs / 3, _least_seconds(forward, repetitions)


def memory_of_a_step(name):
    """Return by how many MiB a step raises the peak memory of a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_growth, (name,))


def _growth(name):
    def peak():
        # Of this process alone; what getrusage returns includes its parent.
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    torch.set_num_threads(1)
    step_seconds("CorNet-ECM", 1)  # what a first step loads
    before = peak()
    step_seconds(name, 1)
    return peak() - before


def network_of(name):
    """Return a network and a batch of its inputs."""
    torch.manual_seed(0)
    form = "channels" if name.startswith("CorNet-") else BASELINES[name].form
    channels, rows, columns = INPUTS[form]
    noise = torch.randn(BATCH, channels, rows, 2 * columns)
    if form == "subspaces":
        inputs = orthonormal_basis(noise[..., :columns])
    else:
        inputs = noise @ noise.mT / (2 * columns)
    if name.startswith("CorNet-"):
        deviations = inputs.diagonal(dim1=-2, dim2=-1).sqrt()
        inputs = inputs / deviations[..., None] / deviations[..., None, :]
        metric = name.removeprefix("CorNet-").lower()
        return CorNet(N, 26, CLASSES, in_channels=CHANNELS, metric=metric), inputs
    sizes = SIZES.get(name, () if form == "subspaces" else (33,))
    model = BASELINES[name].make(INPUTS[form], CLASSES, sizes, 1.0)
    return model, inputs


def _least_seconds(function, repetitions):
    function()
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
        if len(times) == 3 and times[0] > 1.0:
            break
    return min(times)


if __name__ == "__main__":
    main()
