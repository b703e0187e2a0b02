"""
Complete pictures of which half was never seen
==============================================

A broken scanner scans an archive: half of the pixels of each picture are gone. Pictures of the same few
things are alike, so one picture shows the pixels that another one lost. Can they complete each other? And can
a few labels spread in the same way?
"""

# %%
# One matrix of low rank
# ----------------------
# Threes and sixes of the digits that ship with scikit-learn, of 8 by 8 pixels from 0 (white) to 16 (black).
# One matrix holds pictures and labels; unknown pixels and labels are missing cells. ``complete`` takes all of
# them, with None for a missing label: here nine of ten.

import matplotlib.pyplot as plt
import numpy as np
from halfseen import MatrixCompletionClassifier
from sklearn.datasets import load_digits
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression

digits, y = load_digits(return_X_y=True)
two = np.isin(y, [3, 6])
digits, truth = digits[two], np.where(y[two] == 3, "a 3", "a 6")
lost = np.random.default_rng(0).random(digits.shape) < 0.5
holes = np.where(lost, np.nan, digits)
labelled = np.arange(len(truth)) % 10 == 0
labels = np.where(labelled, truth.astype(object), None)

completed = MatrixCompletionClassifier(label_weight=0.01, rank_penalty=0.05).complete(holes, labels)
filled = {
    "means": SimpleImputer(keep_empty_features=True).fit_transform(holes),
    "5 nearest": KNNImputer(keep_empty_features=True).fit_transform(holes),
    "low rank": completed.X,
}
for name, pictures in filled.items():
    print(f"{name}: off by {np.abs(pictures - digits)[lost].mean():.2f} of 16 for a lost pixel")

# %%
# Each row below is one picture; lost pixels are orange. Means leave a blur that three and six share, as in
# the second and third row. The two others come closer. They are still paler than the truth in the third row,
# where few pixels were left.

columns = {"what came": holes, **filled, "the truth": digits}
gray = plt.get_cmap("gray_r").with_extremes(bad="#ff800e")
figure, axes = plt.subplots(4, 5, figsize=(6, 5.4), layout="constrained")
for row, line in zip((1, 2, 5, 8), axes, strict=True):
    for (name, pictures), ax in zip(columns.items(), line, strict=True):
        ax.imshow(pictures[row].reshape(8, 8), cmap=gray, vmin=0, vmax=16)
        ax.set(xticks=[], yticks=[])
        if ax in axes[0]:
            ax.set_title(name, fontsize=9)

# %%
# The labels
# ----------
# The matrix completes labels, too. The reference learns from the labelled pictures alone, with means in the
# missing cells.

right = (completed.y == truth)[~labelled].mean()
usual = LogisticRegression(max_iter=1000).fit(filled["means"][labelled], truth[labelled])
alone = usual.score(filled["means"][~labelled], truth[~labelled])
print(f"labels filled in: {100 * right:.1f} % right; logistic regression on means: {100 * alone:.1f} %")

# %%
# For lost pixels the low rank is as good as the nearest pictures, and much better than means. For labels it
# loses to a logistic regression, although both settings were chosen for these pictures.
#
# When not: if you want only labels. Completion is for those who want the pictures.
