//! Says what a learner wants of its data and what it can do with them: the one place that is asked.

use super::{BUDGET, COSTS, Described, INTERCEPT, PASSIVE, Parameters, SEED, THREAT, TOTAL_BUDGET};
use crate::error::{ErrorKind, Result};

/// The families, told apart by what a learner may look at, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// At most `budget` attributes of each training example, which the learner chooses.
    Budget,
    /// Whatever is observed of each training example.
    Missing,
    /// Every attribute of every training example, and prepares for attributes that vanish at
    /// prediction time.
    Robust,
    /// Every attribute of every training example.
    Full,
}

/// How a learner gets at the cells of a training example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// It chooses a few of them, before it sees any.
    Chooses,
    /// It takes whatever is observed.
    Observed,
    /// It sees them all.
    All,
}

/// The targets that a learner can learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Targets {
    /// Two classes.
    TwoClasses,
    /// Numbers, or two classes.
    NumbersOrTwo,
    /// Numbers, or any number of classes.
    Any,
}

impl Targets {
    /// Whether a target of so many classes (0: numbers) can be learned.
    pub fn allow(self, classes: usize) -> bool {
        match self {
            Targets::TwoClasses => classes == 2,
            Targets::NumbersOrTwo => classes <= 2,
            Targets::Any => true,
        }
    }

    /// Refuses a target of so many classes (0: numbers) that the learner of this name cannot learn.
    ///
    /// # Errors
    /// [`ErrorKind::WrongTarget`].
    pub fn check(self, learner: &str, classes: usize) -> Result<()> {
        if self.allow(classes) {
            return Ok(());
        }
        let holds = if classes == 0 { "numbers".to_owned() } else { format!("{classes} classes") };
        let problem = format!(
            "it holds {holds}, and {learner} tells two classes apart; choose two (in the program --classes A,B), or another learner"
        );
        Err(ErrorKind::WrongTarget { column: "target".into(), problem }.into())
    }
}

/// What a learner, with its parameters as they are now, wants of its data and can do with them.
///
/// A learner starts from [`Needs::of`] and changes the fields in which it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Its family.
    pub family: Family,
    /// How it gets at cells.
    pub looks: Looks,
    /// Whether it can do both, choose what it reads and take whatever is observed.
    pub either: bool,
    /// Whether its parameters say how much it may read.
    pub budgeted: bool,
    /// Whether missing cells may stay missing: a learner that chooses takes one for a read that was
    /// refused.
    pub holes: bool,
    /// What a learner that takes holes puts into them, in words; `None` where nothing is filled in.
    pub fills: Option<&'static str>,
    /// What it can learn.
    pub targets: Targets,
    /// Whether classes are to stay -1 and +1, since margins are not centred.
    pub plain_classes: bool,
    /// Whether zeros are to stay zeros, so that nothing is centred, and a missing cell has vanished.
    pub uncentred: bool,
    /// Whether a constant is to be learned.
    pub intercept: bool,
    /// Whether rows may count by [`Examples::weights`](crate::data::Examples::weights): weight 2 is
    /// then the row twice, weight 0 the row not there, up to the tolerance of the solver, and
    /// weights of 1 give the bits that no weights give. Reports count rows, not weights, and promise
    /// nothing of new rows, as theorems want rows drawn alike. Those that do not take weights refuse
    /// them by [`ErrorKind::TakesNoWeights`].
    pub weights: bool,
    /// Whether it draws at random, by a seed.
    pub seeded: bool,
    /// Whether it prepares for a threat.
    pub threat: bool,
    /// Whether what its attributes cost an adversary comes from the target that it learns.
    pub informed: bool,
    /// Whether it compares each row with every other.
    pub pairs: bool,
    /// Whether a fit may come with an answer, since what it reads next depends on what was read.
    pub fits_to_answers: bool,
    /// Whether what it learns of two classes or numbers has one weight for each attribute.
    pub weighs: bool,
}

impl Needs {
    /// What declared parameters and the family say of a learner.
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
            budgeted: said(BUDGET.name) || said(TOTAL_BUDGET.name),
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
            fits_to_answers: false,
            weighs: true,
        }
    }

    /// Whether the learner chooses what it reads.
    pub fn chooses(&self) -> bool {
        self.looks == Looks::Chooses
    }
}
