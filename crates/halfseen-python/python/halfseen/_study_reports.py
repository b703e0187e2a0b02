"""Report on a study: status, open asks, model, what is stored."""

import json
from typing import TYPE_CHECKING, Any, Literal

from halfseen import _study_frames as frames
from halfseen._study_results import StudyCurve, StudyStatus, curve_of, status_of
from halfseen._study_schema import StudySchema
from halfseen._warn import about_data, warn
from halfseen.model import Model
from halfseen.plotting._common import axes_of
from halfseen.warnings import DataWarning

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame as _DataFrame  # private: without the types of pandas it is none at run time


class StudyReports(StudySchema):
    """Reports on a study; see :class:`halfseen.Study`."""

    def status(self, *, fit: bool = True) -> StudyStatus:
        """Return counts of subjects, asks and values, what is left to spend, and the learner's own error.

        Parameters
        ----------
        fit : bool, default True
            False leaves out the learner's own error, for which models are fitted.

        Returns
        -------
        status : StudyStatus
            The status; its text is a table.
        """
        text, last = self._study.status(self.who), None
        if fit and json.loads(text)["complete"]:
            points = json.loads(self._study.curve())["points"]
            last = points[-1] if points else None
        return status_of(text, last)

    def curve(self) -> StudyCurve:
        """Return the learner's own error over the examples.

        Each point is of the model that the study would have with its first examples only; the study keeps
        them until an answer changes.

        Returns
        -------
        curve : StudyCurve
            The points as a frame.
        """
        return curve_of(self._study.curve(), frames.pandas())

    def plot(self, *, ax: "Axes | None" = None) -> "Axes":
        """Plot the learner's own error over the examples.

        Bars are 90 % intervals; a dotted line is the error of predicting the mean.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None, default=None
            Axes to draw into; None: a new figure's.

        Returns
        -------
        ax : matplotlib.axes.Axes
            The axes.
        """
        ax, curve = axes_of(ax), self.curve()
        points = curve.points.dropna()
        between = [points["error"] - points["low"], points["high"] - points["error"]]
        ax.errorbar(
            points["examples"], points["error"], yerr=between, marker="o", capsize=3, label="own test"
        )
        ax.axhline(curve.variance, linestyle=":", color="0.4", label="predicting the mean")
        ax.set(xlabel="examples", ylabel="squared error, with 90 % intervals", ylim=(0, None))
        ax.legend()
        return ax

    def pending(self, older_than_days: float | None = None) -> "_DataFrame":
        """Return the open asks, oldest first.

        Parameters
        ----------
        older_than_days : float, optional
            Least age of an ask in days.

        Returns
        -------
        asks : DataFrame
            ``subject``, ``ask``, ``days`` (its age), ``wave``, ``missing`` (attributes still to be told,
            separated by spaces) and ``target``: 'missing' if it is.
        """
        pandas = frames.pandas()
        limit = None if older_than_days is None else float(older_than_days)
        asks = json.loads(self._study.pending(limit, self.who))
        return pandas.DataFrame(
            {
                "subject": [ask["subject"] for ask in asks],
                "ask": [ask["number"] for ask in asks],
                "days": [ask["days"] for ask in asks],
                "wave": [ask["wave"] or "" for ask in asks],
                "missing": [" ".join(ask["attributes"]) for ask in asks],
                "target": ["missing" if ask["wants_target"] else "" for ask in asks],
            }
        )

    def model(self) -> Model:
        """Return the model of all answers so far.

        It is a function of the asks and of their present answers, in the order of the asks. It does not
        depend on the order of the answers, on repetitions, or on values that were amended since. ``halfseen
        study model`` makes the same, to the bit. Ctrl-C ends the fit.

        Returns
        -------
        model : Model
            The model, which predicts from frames with the columns of the schema, dates and texts included.

        Raises
        ------
        ValueError
            If there are too few answers.
        """
        model = self._study.model()
        for _, text in about_data(json.loads(model.report())["notes"], model.notes()):
            warn(text, DataWarning)
        return Model(model)

    def estimator(self) -> Any:
        """Return the model of all answers so far as a fitted estimator, such as FIMLRegressor.

        Returns
        -------
        estimator : object
            Fitted estimator of the learner's class.

        Raises
        ------
        ValueError
            If an attribute is a category, which estimators do not accept: :meth:`model` does.
        """
        return self.model().estimator()

    def export(self, what: Literal["reads", "wide", "audit", "erased"] = "reads") -> "_DataFrame":
        """Return what is stored as a frame.

        Parameters
        ----------
        what : {'reads', 'wide', 'audit', 'erased'}, default 'reads'
            'reads': a row for each present value, as text, with flags, time, person and source. 'wide': a row
            for each subject, its values in the columns of the schema; values that are not told or not
            available are missing. 'audit': a row for each thing that was done. 'erased': subjects whose
            values were erased, and when; not at a URL. Times are in UTC.

        Returns
        -------
        frame : DataFrame
            The rows.
        """
        rows = self._study.export(what)
        self._read_schema()
        return frames.frame_of_export(what, rows, self._kinds)

    def check(self) -> list[str]:
        """Test that the file is sound.

        Returns
        -------
        problems : list of str
            Problems; none if it is sound.
        """
        return self._study.check()
