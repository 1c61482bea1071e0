"""
Which correlations speak for which class?
=========================================

A logistic regression on correlation matrices has a normal for each class, a tangent
vector of the manifold. `edge_weights` turns it into a matrix that can be read: how the
logit of the class changes with each correlation, at the mean of the training samples.
"""

# %%
# Fit
# ---
# Functional connectomes of 46 controls and 40 patients with schizophrenia: one matrix
# of 28 brain networks for each. The regression is solved to convergence, and the
# strength of its penalty is chosen by cross-validation.

import argparse
from pathlib import Path

import numpy as np

from cornet_nn.training import CorMLRClassifier, plot_edge_weights
from geomstats_cor.datasets import load_connectomes

parser = argparse.ArgumentParser(description="Edge weights of a regression.")
parser.add_argument(
    "--output",
    type=Path,
    default=Path("build/examples/edge_weights.png"),
    help="where to write the figure (default: %(default)s)",
)
args = parser.parse_args()

data = load_connectomes()
groups = np.array(["control", "patient"])[data.labels]
model = CorMLRClassifier("olm", random_state=0, progress=False)
model.fit(data.correlations, groups)

# %%
# Weights of edges
# ----------------
# One symmetric matrix with a zero diagonal for each class, of sum zero over the
# classes. With two classes, the second is the negative of the first.

weights = model.edge_weights()
print(model.classes_, weights.shape)

lower = np.tril_indices(28, k=-1)
patient = weights[1][lower]
for place in np.argsort(-np.abs(patient))[:5]:
    i, j = lower[0][place], lower[1][place]
    print(f"networks {j + 1:2} and {i + 1:2}: {patient[place]:+.2f}")

# %%
# The figure
# ----------
# Red: a larger correlation speaks for the class; blue: against it. All other
# correlations are held fixed, and they are correlated among themselves across subjects:
# an edge without weight may still differ between the groups. Weights come from the
# penalised regression on all 86 subjects, and no test says which of them would be found
# again in another sample.
#
# .. image:: /figures/edge_weights.png
#    :alt: Edge weights of controls and patients, with one scale of colours

# sphinx_gallery_thumbnail_path = "figures/edge_weights.png"
names = [str(k + 1) for k in range(28)]
figure = plot_edge_weights(weights, model.classes_, names)
figure.set_size_inches(9.5, 4.4)
args.output.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(args.output, dpi=130)
print(f"figure: {args.output}")
