"""The script of docs/training.md, which torchrun starts in several processes."""

import sys

import numpy as np
import torch.distributed as dist

from cornet_nn.training import CorNetClassifier

if __name__ == "__main__":
    dist.init_process_group("gloo")
    with np.load(sys.argv[1]) as file:
        X, y = file["C"], file["y"]
    model = CorNetClassifier(metric="olm", max_epochs=20, random_state=0)
    model.fit(X, y)
    if dist.get_rank() == 0:
        print(model.score(X, y))
    dist.destroy_process_group()
