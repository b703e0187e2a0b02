#!/usr/bin/env python3
"""Compare quantiles of numbers by halfseen with its peers where attributes vanish at prediction time, on the same splits.

    scripts/peers_quantile.py TABLE... [--quantile 0.9] [--threat 2] [--splits 3] [--seconds 600] [--out FILE]

Tables, splits, deleted cells and processes are those of peers_threat.py, but of numeric targets. An adversary who sees the prediction
raises or lowers it as far as `threat` deletions can, one after the other, and takes what costs more by the quantile loss; against a
weighted sum of attributes no deletions cost more. Errors are mean quantile losses as shares of that of a constant, the quantile of
the training targets.

robust-lp    halfseen.RobustLPRegressor(threat=..., scale="each", tune=3)
curves       the same with basis="hats": a curve of each attribute
no threat    the first with threat=0
linear       scikit-learn's QuantileRegressor without a penalty
hgb          scikit-learn's HistGradientBoosting with the quantile loss and its defaults
hgb-masked   the same on the rows and ten copies of each, with `threat` attributes deleted at random

Needs halfseen, pandas and scikit-learn. Versions are printed.
"""

import resource
import time
import warnings
import zlib

# First, because it sets the number of threads before NumPy is imported.
import peers_threat

import numpy as np
import pandas as pd
from peers import each, flags

METHODS = ["robust-lp", "curves", "no threat", "linear", "hgb", "hgb-masked"]
PACKAGES = ["halfseen", "numpy", "pandas", "scikit-learn"]


def load(path):
    """Return the attributes that are numbers, and the target."""
    table = pd.read_csv(path, na_values="?")
    target = table.pop("target" if "target" in table else table.columns[-1]).to_numpy(dtype=float)
    x = table.select_dtypes("number").to_numpy(dtype=float)
    x = x[:, np.isnan(x).mean(axis=0) < 0.1]
    whole = ~np.isnan(x).any(axis=1) & ~np.isnan(target)
    return x[whole], target[whole]


def loss(y, prediction, quantile):
    """Return the quantile loss of each row."""
    residual = y - prediction
    return np.maximum(quantile * residual, (quantile - 1) * residual)


def fitted(method, x, y, quantile, threat):
    """Return what predicts rows; NaN is a deleted cell."""
    import halfseen
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.linear_model import QuantileRegressor

    if method == "linear":
        model = QuantileRegressor(quantile=quantile, alpha=0, solver="highs").fit(x, y)
        return lambda rows: model.predict(peers_threat.filled(rows))
    if method.startswith("hgb"):
        if method == "hgb-masked":
            x, y = peers_threat.copied(x, y, threat, np.random.default_rng(0))
        return HistGradientBoostingRegressor(loss="quantile", quantile=quantile, random_state=0).fit(x, y).predict
    basis = {"basis": "hats"} if method == "curves" else {}
    threat = 0 if method == "no threat" else threat
    model = halfseen.RobustLPRegressor(threat=threat, quantile=quantile, scale="each", tune=3, **basis)
    return model.fit(x, y).predict


def measured(method, data, quantile, threat, seconds, answers):
    """Fit, attack and count within a limit of processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    warnings.simplefilter("ignore")
    x, y, test, expected = data
    try:
        # Imports are not part of a fit.
        import halfseen, sklearn.ensemble, sklearn.linear_model  # noqa: E401, F401

        began = time.process_time()
        predict = fitted(method, x, y, quantile, threat)
        found = {"seconds": time.process_time() - began}
        constant = loss(expected, np.quantile(y, quantile), quantile).mean()
        as_is = predict(test)
        found["loss"] = float(loss(expected, as_is, quantile).mean() / constant)
        found["below"] = float(np.mean(expected <= as_is))
        raised, lowered = (
            loss(expected, predict(peers_threat.greedy(predict, test, np.full(len(test), away), threat)), quantile)
            for away in (-1.0, 1.0)
        )
        found["attacked"] = float(np.maximum(raised, lowered).mean() / constant)
    except Exception as error:  # noqa: BLE001  A peer's failure is a result.
        found = {"failed": f"{type(error).__name__}: {error}"[:200]}
    answers.put(found)


def main():
    """Run every method on every table."""
    given = flags(__doc__, PACKAGES, 600, quantile=0.9, threat=2)

    def data(path, number):
        name = path.name.split(".")[0]
        seed = [number, zlib.crc32(name.encode())]
        return peers_threat.split(*load(path), seed), given.quantile, given.threat, given.seconds

    forms = {"loss": "{:.3f}", "attacked": "{:.3f}", "below": "{:.3f}", "seconds": "{:.2f}"}
    each(given, f"{given.quantile} {given.threat}", METHODS, measured, data, forms)


if __name__ == "__main__":
    main()
