"""Read pictures back from their Axes: what is drawn is what was measured."""

import subprocess
import sys

import halfseen
import numpy as np
import pandas as pd
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from halfseen.plotting import (  # noqa: E402
    LearningCurveDisplay,
    MissingnessDisplay,
    RobustnessDisplay,
    ShapesDisplay,
    WeightsDisplay,
)
from matplotlib import pyplot as plt  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    return X, 2 * X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=400)


def lines(ax):
    return {line.get_label(): line.get_xydata() for line in ax.lines if not line.get_label().startswith("_")}


def test_a_learning_curve_counts_what_was_paid_for(numbers):
    estimators = {"few": halfseen.AERRRegressor(budget=2, random_state=0), "all": Ridge()}
    ax = LearningCurveDisplay.from_estimator(
        estimators, *numbers, counts=[20, 300], splits=3, random_state=0
    ).ax_
    drawn = lines(ax)
    assert drawn["all"][:, 0].tolist() == [20 * 6, 300 * 6]
    # Two reads of one example may meet the same cell.
    assert 300 <= drawn["few"][1, 0] <= 600
    assert 20 <= drawn["few"][0, 0] <= 40
    assert drawn["all"][1, 1] == pytest.approx(0.01, rel=0.3), "the noise is all that is left"
    assert len(ax.collections) == 2, "a band for each line"
    assert ax.get_xscale() == "log"
    assert ax.get_ylabel().endswith("(squared units of y)")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["few", "all"]
    assert not hasattr(estimators["few"], "coef_"), "what is given stays unfitted"


def test_the_same_seed_draws_the_same_curve(numbers):
    def draw():
        model = halfseen.AERRRegressor(budget=2, random_state=0)
        return LearningCurveDisplay.from_estimator(model, *numbers, counts=3, splits=2, random_state=1).ax_

    np.testing.assert_array_equal(lines(draw())["AERRRegressor"], lines(draw())["AERRRegressor"])


def test_classifiers_are_counted_by_wrong_rows_and_named_by_their_last_step(numbers):
    X, y = numbers
    pipeline = make_pipeline(StandardScaler(), halfseen.AERRClassifier(budget=2, random_state=0))
    _, ax = plt.subplots()
    found = LearningCurveDisplay.from_estimator(
        [pipeline, LogisticRegression(), LogisticRegression(C=0.1)], X, y > 0, counts=1, splits=2, ax=ax
    )
    assert found.ax_ is ax
    assert found.figure_ is ax.figure
    drawn = lines(ax)
    assert list(drawn) == ["AERRClassifier", "LogisticRegression", "LogisticRegression 2"]
    assert drawn["AERRClassifier"][0, 0] < drawn["LogisticRegression"][0, 0] == 300 * 6
    assert all(0 <= line[0, 1] < 0.5 for line in drawn.values())
    assert "share of rows" in ax.get_ylabel()


@pytest.mark.parametrize(
    ("estimators", "counts", "error", "words"),
    [
        ([Ridge(), LogisticRegression()], 3, ValueError, "different kinds of errors"),
        ([], 3, TypeError, "estimators must be"),
        ("AERRRegressor", 3, TypeError, "estimators must be"),
        (Ridge(), 0, ValueError, "counts = 0"),
        (Ridge(), [10, 301], ValueError, "2 to 300"),
        (Ridge(), [1], ValueError, "2 to 300"),
    ],
)
def test_a_learning_curve_refuses_what_it_cannot_draw(numbers, estimators, counts, error, words):
    with pytest.raises(error, match=words):
        LearningCurveDisplay.from_estimator(estimators, *numbers, counts=counts)


def test_a_robustness_curve_is_the_error_of_attacked_rows():
    from halfseen.robust import attack

    # Six attributes that tell the same: the loss of one is bearable.
    rng = np.random.default_rng(0)
    y = rng.choice([-1.0, 1.0], size=400)
    X = y[:, np.newaxis] + rng.normal(size=(400, 6))
    labels = np.where(y > 0, "up", "down")
    fitted = {f"N = {n}": halfseen.RobustLPClassifier(threat=n).fit(X[:200], labels[:200]) for n in (0, 1)}
    ax = RobustnessDisplay.from_estimator(fitted, X[200:], labels[200:], threats=[2, 0, 1]).ax_
    drawn = lines(ax)
    for name, estimator in fitted.items():
        assert drawn[name][:, 0].tolist() == [0, 1, 2]
        assert drawn[name][0, 1] == pytest.approx(1 - estimator.score(X[200:], labels[200:]))
        for threat, error in drawn[name]:
            assert error == pytest.approx(1 - attack(estimator, X[200:], labels[200:], threat=threat).score)
        assert (np.diff(drawn[name][:, 1]) >= 0).all(), "an exact adversary with more does no less"
    rings = [line.get_xydata().tolist() for line in ax.lines if line.get_markerfacecolor() == "none"]
    assert rings == [[drawn["N = 1"][1].tolist()]]
    assert ax.get_xlabel() == "attributes taken away from each row (threat)"


def test_a_robustness_curve_of_numbers_has_squared_errors(numbers):
    X, y = numbers
    model = halfseen.AERRRegressor(budget=4, random_state=0).fit(X, y)
    ax = RobustnessDisplay.from_estimator(model, X, y, costs=np.full(6, 2.0)).ax_
    drawn = lines(ax)["AERRRegressor"]
    assert drawn[0].tolist() == [0, pytest.approx(np.mean((model.predict(X) - y) ** 2))]
    assert drawn[-1, 1] > 2 * drawn[0, 1]
    assert "value taken away" in ax.get_xlabel()
    with pytest.raises(TypeError, match="an estimator of halfseen is needed"):
        RobustnessDisplay.from_estimator(Ridge().fit(X, y), X, y)


def test_weights_are_drawn_about_zero(numbers):
    model = halfseen.AERRRegressor(budget=4, random_state=0).fit(*numbers)
    ax = WeightsDisplay.from_estimator(model, shape=(2, 3)).ax_
    np.testing.assert_array_equal(ax.images[0].get_array(), model.coef_.reshape(2, 3))
    low, high = ax.images[0].get_clim()
    assert -low == high == np.abs(model.coef_).max()
    assert ax.images[0].colorbar.ax.get_ylabel().startswith("weight")
    one = WeightsDisplay.from_estimator(
        np.array([[0.0, 0.0], [1.0, 2.0]]), shape=(1, 2), output=1, colorbar=False
    ).ax_
    assert one.images[0].get_array().tolist() == [[1.0, 2.0]]
    nothing = WeightsDisplay.from_estimator(np.zeros(4), shape=(2, 2)).ax_
    assert nothing.images[0].get_clim() == (-1.0, 1.0)


def test_weights_that_form_no_grid_are_refused(numbers):
    X, y = numbers
    with pytest.raises(ValueError, match=r"6 weights do not fill a grid of shape \(2, 2\)"):
        WeightsDisplay.from_estimator(halfseen.AERRRegressor(random_state=0).fit(X, y), shape=(2, 2))
    with pytest.raises(ValueError, match="output = 1 is not allowed"):
        WeightsDisplay.from_estimator(np.ones(4), shape=(2, 2), output=1)
    with pytest.raises(ValueError, match="KARMARegressor has no weight for each attribute"):
        WeightsDisplay.from_estimator(halfseen.KARMARegressor().fit(X[:50], y[:50]), shape=(2, 3))
    with pytest.raises(ValueError, match="not fitted"):
        WeightsDisplay.from_estimator(halfseen.AERRRegressor(), shape=(2, 3))


def test_holes_are_grouped_by_pattern():
    full, half, none = [1.0, 2.0, 3.0], [np.nan, 2.0, 3.0], [np.nan, np.nan, 3.0]
    X = np.array([half, full, none, half, half, full])
    ax = MissingnessDisplay.from_data(X, names=["a", "b", "c"]).ax_
    drawn = ax.collections[0].get_array()
    # Columns c, b, a lack 0, 1 and 4 of 6; half comes three times, full twice, none once.
    assert drawn.tolist() == [[0, 0, 1], [0, 0, 0], [0, 1, 1]]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["c (0 %)", "b (16.7 %)", "a (66.7 %)"]
    corners = ax.collections[0].get_coordinates()[:, 0, 1]
    assert corners.tolist() == [0, 3, 5, 6], "as high as a pattern has rows"
    assert ax.get_title() == "27.8 % of cells missing, 3 patterns in 6 rows"
    assert ax.get_ylim() == (6, 0)


@pytest.mark.parametrize("kind", ["pandas", "polars", "sparse", "object"])
def test_holes_of_frames_and_sparse_rows(kind):
    if kind == "sparse":
        import scipy.sparse

        X = scipy.sparse.csr_array(
            (np.array([np.nan, 1.0]), (np.array([0, 1]), np.array([0, 1]))), shape=(3, 2)
        )
        names = ["x1 (0 %)", "x0 (33.3 %)"]
    elif kind == "object":
        X, names = (
            np.array([["a", None], ["b", 1.0], ["c", np.nan]], dtype=object),
            ["x0 (0 %)", "x1 (66.7 %)"],
        )
    else:
        frames = pytest.importorskip(kind)
        X, names = frames.DataFrame({"t": ["a", None, "b"], "n": [1.0, 2.0, 3.0]}), ["n (0 %)", "t (33.3 %)"]
    ax = MissingnessDisplay.from_data(X).ax_
    assert [text.get_text() for text in ax.get_xticklabels()] == names


def test_holes_of_nothing_are_refused():
    for X in (np.zeros((0, 3)), np.zeros((3, 0))):
        with pytest.raises(ValueError, match="has no cell"):
            MissingnessDisplay.from_data(X)
    with pytest.raises(ValueError, match="1 dimensions"):
        MissingnessDisplay.from_data(np.zeros(3))
    with pytest.raises(ValueError, match="1 names and 2 columns"):
        MissingnessDisplay.from_data(np.zeros((3, 2)), names=["a"])


def test_displays_draw_again_what_they_keep(numbers):
    X, y = numbers
    model = halfseen.AERRRegressor(budget=2, random_state=0)
    curve = LearningCurveDisplay.from_estimator(model, X, y, counts=3, splits=2, random_state=0)
    first = lines(curve.ax_)["AERRRegressor"]
    np.testing.assert_array_equal(first[:, 1], curve.errors["AERRRegressor"].mean(axis=0))
    np.testing.assert_array_equal(lines(curve.plot().ax_)["AERRRegressor"], first)
    assert curve.plot(logarithmic=False).ax_.get_xscale() == "linear"
    attacked = RobustnessDisplay.from_estimator(model.fit(X, y), X, y, threats=[0, 1])
    np.testing.assert_array_equal(lines(attacked.plot().ax_)["AERRRegressor"][:, 0], attacked.threats)
    holes = MissingnessDisplay.from_data([[1.0, np.nan], [1.0, np.nan], [1.0, 2.0]])
    assert holes.sizes.tolist() == [2, 1]
    assert holes.plot().ax_.get_title() == holes.ax_.get_title() != ""


def test_bars_are_the_largest_weights_by_name():
    names = ["small", "down", "up"]
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 3)), columns=names)
    model = Ridge().fit(X, X @ np.array([0.1, -2.0, 3.0]))
    ax = WeightsDisplay.from_estimator(model, most=2).ax_
    assert [label.get_text() for label in ax.get_yticklabels()] == ["up", "down"]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([3.0, -2.0], rel=0.02)
    assert len({bar.get_facecolor() for bar in ax.patches}) == 2
    assert ax.get_title() == "the 2 largest weights of 3"
    hats = halfseen.AERRRegressor(
        budget=2, basis="hats", bounds=dict.fromkeys(names, (-4, 4)), random_state=0
    )
    display = WeightsDisplay.from_estimator(hats.fit(X, X["up"]))
    assert len(display.names) == len(hats.coef_) > 3
    assert "up" in display.names
    with pytest.raises(ValueError, match="most = 0"):
        WeightsDisplay.from_estimator(model, most=0)


def test_shapes_are_what_the_attributes_add_to_the_prediction():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(600, 4)), columns=list("abcd"))
    y = 3 * X["b"].abs() + X["a"]
    model = halfseen.FIMLRegressor(shape="additive", random_state=0).fit(X, y)
    display = ShapesDisplay.from_estimator(model)
    assert next(iter(display.curves)) == "b"
    values, added = display.curves["b"]
    assert added.mean() == pytest.approx(0.0, abs=1e-12)
    # The same differences as those of predictions, of which only b differs.
    rows = pd.DataFrame(np.zeros((len(values), 4)), columns=X.columns).assign(b=values)
    predicted = model.predict(rows, clip=False)
    np.testing.assert_allclose(added - added[0], predicted - predicted[0], atol=1e-8)
    assert [ax.get_xlabel() for ax in display.axes_] == list(display.curves)
    _, ax = plt.subplots()
    one = ShapesDisplay.from_estimator(model, most=1, ax=ax)
    assert one.axes_ == [ax]
    with pytest.raises(ValueError, match="1 Axes: give as many"):
        display.plot(ax) if len(display.curves) > 1 else ShapesDisplay({}).plot(ax)
    with pytest.raises(ValueError, match="Ridge has no curves of attributes"):
        ShapesDisplay.from_estimator(Ridge().fit(X, y))
    with pytest.raises(ValueError, match="not fitted"):
        ShapesDisplay.from_estimator(halfseen.FIMLRegressor())


def test_without_matplotlib_the_remedy_is_named():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from halfseen.plotting import MissingnessDisplay\n"
        "try:\n    MissingnessDisplay.from_data([[1.0, 2.0]])\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "plots need matplotlib: pip install 'halfseen[plot]'"


def test_what_is_no_picture_is_refused():
    X, y = np.random.default_rng(0).normal(size=(60, 6)), np.arange(60) % 2
    fitted = halfseen.AERRClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="threats holds none"):
        RobustnessDisplay.from_estimator(fitted, X, y, threats=[])
    with pytest.raises(ValueError, match="counts must be of 2"):
        LearningCurveDisplay.from_estimator(halfseen.AERRClassifier(), X, y, counts=[])
    with pytest.raises(TypeError, match="estimators must be"):
        RobustnessDisplay.from_estimator(None, X, y)
    with pytest.raises(TypeError, match="ax must be an Axes"):
        RobustnessDisplay.from_estimator(fitted, X, y, ax="x")
    for shape in ("ab", 6):
        with pytest.raises(TypeError, match="shape must be"):
            WeightsDisplay.from_estimator(fitted, shape=shape)
