"""CPU time of imports, each in a process of its own: python -m benchmarks.imports."""

import argparse
import resource
import statistics
import subprocess
import sys

CODES = (
    "pass",
    "import geomstats_cor",
    "import torch",
    "import torch; from cornet_nn import CorNet",
    "import torch; import geomstats",
    "import torch; from cornet_nn import CorNet; CorNet(4, 3, 2, metric='olm')",
)


def cpu_time(code):
    """Return the CPU time of a new interpreter that runs some code, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    """Print the median and the least time for each piece of code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    times = {code: [] for code in CODES}
    for _ in range(rounds):
        for code in CODES:
            times[code].append(cpu_time(code))
    for code, found in times.items():
        print(f"{statistics.median(found):6.2f} s, least {min(found):.2f} s: {code}")


if __name__ == "__main__":
    main()
