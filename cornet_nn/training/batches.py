"""Batches of an epoch, and the part of one process in each."""

from typing import NamedTuple

import torch


class Batch(NamedTuple):
    """The part of one process in a joint batch.

    Attributes
    ----------
    inputs : tensor, shape=[k, ...]
        Samples of this process; k may be zero.
    labels : tensor of int, shape=[k]
        Their classes.
    count : int
        Number of samples of the joint batch.
    weight : float
        Sum of the class weights of the joint batch, by which the loss is divided.
    """

    inputs: torch.Tensor
    labels: torch.Tensor
    count: int
    weight: float


class Batches:
    """Batches in a random order, which depends on the epoch, or in the given one.

    Parameters
    ----------
    inputs : tensor, shape=[N, ...]
        Samples.
    labels : tensor of int, shape=[N]
        Their classes.
    class_weights : tensor, shape=[classes]
        Weight of each class.
    batch_size : int
        Number of samples of a joint batch; the last one may have fewer.
    processes : Processes
        Processes that share each batch.
    draw_order : callable or None
        Function of N that returns an order of samples; the given order if None.
    """

    def __init__(
        self, inputs, labels, class_weights, batch_size, processes, draw_order=None
    ):
        self.inputs, self.labels = inputs, labels
        self.class_weights = class_weights
        self.batch_size, self.processes = batch_size, processes
        self.draw_order = draw_order or torch.arange

    def __len__(self):
        return -(-len(self.inputs) // self.batch_size)

    def __iter__(self):
        for joint in self.draw_order(len(self.inputs)).split(self.batch_size):
            part = self.processes.part(joint)
            weights = self.class_weights[self.labels[joint]]
            yield Batch(
                self.inputs[part],
                self.labels[part],
                len(joint),
                float(weights.sum(dtype=torch.float64)),
            )
