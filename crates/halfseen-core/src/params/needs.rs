//! Declares what each learner needs of its data and can do with them.

use super::{
    BUDGET, COSTS, Described, INTERCEPT, MAX_COST, PASSIVE, Parameters, SEED, THREAT, TOTAL_BUDGET,
    TOTAL_COST,
};
use crate::error::{ErrorKind, Result};

/// Families of learners, by the data that they may look at, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// At most `budget` attributes of each training example, which the learner chooses.
    Budget,
    /// The observed attributes of each training example.
    Missing,
    /// Every attribute of every training example; prepares for deletions at prediction time.
    Robust,
    /// Every attribute of every training example.
    Full,
}

/// Access of a learner to the cells of a training example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// It chooses a few of them before it sees any.
    Chooses,
    /// It takes the observed ones.
    Observed,
    /// It sees all.
    All,
}

/// Targets that a learner can learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Targets {
    /// Two classes.
    TwoClasses,
    /// Two or more classes.
    Classes,
    /// Numbers, or two classes.
    NumbersOrTwo,
    /// Numbers, or any number of classes.
    Any,
}

impl Targets {
    /// Returns true if a target with this number of classes (0: numeric) can be learned.
    pub fn allow(self, classes: usize) -> bool {
        match self {
            Targets::TwoClasses => classes == 2,
            Targets::Classes => classes >= 2,
            Targets::NumbersOrTwo => classes <= 2,
            Targets::Any => true,
        }
    }

    /// Refuses a target with this number of classes (0: numeric) that the learner cannot learn.
    ///
    /// # Errors
    /// [`ErrorKind::WrongTarget`].
    pub fn check(self, learner: &str, classes: usize) -> Result<()> {
        if self.allow(classes) {
            return Ok(());
        }
        let holds =
            if classes == 0 { "is numeric".to_owned() } else { format!("has {classes} classes") };
        let problem = match self {
            Targets::Classes => format!(
                "it {holds}, but {learner} is a classifier; choose classes (in the program --task classification), or another learner"
            ),
            _ => format!(
                "it {holds}, but {learner} is a binary classifier; choose two classes (in the program --classes A,B), or another learner"
            ),
        };
        Err(ErrorKind::WrongTarget { column: "target".into(), problem }.into())
    }
}

/// Needs and abilities of a learner with its present parameters.
///
/// A learner starts from [`Needs::of`] and changes the fields in which it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Family.
    pub family: Family,
    /// Access to cells.
    pub looks: Looks,
    /// True if it can both choose its reads and take the observed attributes.
    pub either: bool,
    /// True if its parameters limit its reads.
    pub budgeted: bool,
    /// True if missing cells may stay missing; learners that choose take them as refused reads.
    pub holes: bool,
    /// Value that it imputes for missing cells, in words; `None` if it imputes nothing.
    pub fills: Option<&'static str>,
    /// Targets that it can learn.
    pub targets: Targets,
    /// True if classes must stay -1 and +1, because margins are not centred.
    pub plain_classes: bool,
    /// True if zeros must stay zeros: nothing is centred, and a missing cell counts as deleted.
    pub uncentred: bool,
    /// True if an intercept is learned.
    pub intercept: bool,
    /// True if it accepts row weights ([`Examples::weights`](crate::data::Examples::weights)): up
    /// to the solver's tolerance, weight 2 is the row twice and weight 0 the row left out; weights
    /// of 1 give the same bits as none. Reports count rows, not weights, and give no bounds for new
    /// rows, because theorems need identically distributed rows. Other learners refuse weights with
    /// [`ErrorKind::Request`].
    pub weights: bool,
    /// True if it draws at random, from a seed.
    pub seeded: bool,
    /// True if it prepares for a threat.
    pub threat: bool,
    /// True if the costs of attributes to the adversary are computed from the target it learns.
    pub informed: bool,
    /// True if it compares each row with every other.
    pub pairs: bool,
    /// True if it may multiply matrices, for which some processors reserve much address space.
    pub multiplies: bool,
    /// True if an answer may trigger a fit, because the next reads depend on earlier ones.
    pub fits_to_answers: bool,
    /// True if its model of two classes or numbers has one weight per attribute.
    pub weighs: bool,
    /// True if it learns from a pilot too ([`Examples::pilot`](crate::data::Examples::pilot)). Other
    /// learners refuse one with [`ErrorKind::Request`].
    pub pilot: bool,
}

impl Needs {
    /// Derives the needs of a learner from its family and parameters.
    pub fn of<L: Described>(learner: &L) -> Needs {
        Needs::of_family(L::FAMILY, learner)
    }

    pub(crate) fn of_family<P: Parameters + ?Sized>(family: Family, learner: &P) -> Needs {
        let declared = |name| learner.get(name).is_some();
        let said = |name| learner.get(name).is_some_and(|value| value != "auto");
        let looks = match (family, learner.get(PASSIVE.name).as_deref()) {
            (Family::Budget, None | Some("no")) => Looks::Chooses,
            (Family::Budget, Some(_)) | (Family::Missing, _) => Looks::Observed,
            (Family::Robust | Family::Full, _) => Looks::All,
        };
        let (missing, robust) = (family == Family::Missing, family == Family::Robust);
        Needs {
            family,
            looks,
            either: declared(PASSIVE.name),
            budgeted: [BUDGET, TOTAL_BUDGET, MAX_COST, TOTAL_COST].iter().any(|d| said(d.name)),
            holes: missing,
            fills: None,
            targets: Targets::NumbersOrTwo,
            plain_classes: missing || robust,
            uncentred: robust,
            intercept: learner.get(INTERCEPT.name).is_none_or(|value| value == "true"),
            weights: false,
            seeded: declared(SEED.name),
            threat: declared(THREAT.name),
            informed: learner.get(COSTS.name).as_deref() == Some("mi"),
            pairs: false,
            multiplies: family != Family::Budget,
            fits_to_answers: false,
            weighs: true,
            pilot: false,
        }
    }

    /// Returns true if the learner chooses its reads.
    pub fn chooses(&self) -> bool {
        self.looks == Looks::Chooses
    }
}
