//! Declares every parameter once: name, kind, range, meaning and source.
//!
//! A [`Declaration`] is a constant; a learner's struct is built from declarations and defaults by
//! the `parameters!` macro, which writes the struct, its `Default`, and [`Parameters`]: range
//! check, set and get by name, and the list from which help texts and other languages are made.

mod needs;
mod values;
mod words;

pub use needs::{Family, Looks, Needs, Targets};
pub use values::{AttributeCosts, Features, MomentSource, Rule, Value};
pub use words::{
    Average, Ball, Centre, CompletionVariant, Damage, Deletions, Design, Fill, Inner, KernelLoss,
    KernelSolver, LabelLoss, Link, MomentRepair, Normalization, Passive, SmoothLoss, Steps,
    Variant,
};

use crate::error::{Error, ErrorKind, Result, nearest};

/// The declaration of one parameter, shared by every learner that has it.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// The one name, everywhere.
    pub name: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// What it means, in one or two sentences.
    pub doc: &'static str,
    /// Paper, theorem or algorithm; empty for parameters of the house.
    pub source: &'static str,
}

/// The kind and range of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// An integer in a range.
    Count {
        /// The least.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// An integer, or `auto`.
    CountOrAuto {
        /// The least.
        least: u64,
    },
    /// A finite number above zero.
    Positive,
    /// A finite number above zero, or `auto`.
    PositiveOrAuto,
    /// A finite number of at least zero.
    NonNegative,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `theory`, a multiple of it such as `3.2x`, or a finite number above zero.
    Rule,
    /// The same, or `auto`.
    RuleOrAuto,
    /// A number above 0 and below 1.
    Share,
    /// A number above 0 and below 1, or a whole number of at least 1.
    ShareOrCount,
    /// Numbers of at least 0 that sum to 1, or `auto`.
    SharesOrAuto,
    /// A number in a range, or `auto`.
    BetweenOrAuto {
        /// The least.
        least: f64,
        /// The largest.
        most: f64,
    },
    /// `auto`, `online`, `two-phase`, or numbers of at least 0.
    Moments,
    /// Numbers of at least 0, or `auto`.
    NumbersOrAuto,
    /// A finite number of at least 0, or `auto`.
    NonNegativeOrAuto,
    /// `uniform`, `mi`, or numbers of at least 0.
    Costs,
    /// `exact`, or `sketch:` and an integer of at least 1.
    Features,
}

impl Kind {
    /// The range in words, as error messages and help texts say it.
    pub fn allowed(&self) -> String {
        match self {
            Kind::Count { least, most: u64::MAX } => format!("an integer of at least {least}"),
            Kind::Count { least, most } => format!("an integer from {least} to {most}"),
            Kind::CountOrAuto { least } => format!("an integer of at least {least}, or auto"),
            Kind::Positive => "a finite number above 0".into(),
            Kind::PositiveOrAuto => "a finite number above 0, or auto".into(),
            Kind::NonNegative => "a finite number of at least 0".into(),
            Kind::Flag => "true or false".into(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Rule => {
                "theory, a multiple of it such as 3.2x, or a finite number above 0".into()
            }
            Kind::Share => "a number above 0 and below 1".into(),
            Kind::ShareOrCount => {
                "a share above 0 and below 1, or a whole number of at least 1".into()
            }
            Kind::SharesOrAuto => {
                "auto, or numbers of at least 0 that sum to 1, separated by commas".into()
            }
            Kind::BetweenOrAuto { least, most } => {
                format!("a number from {least} to {most}, or auto")
            }
            Kind::Moments => {
                "auto, online, two-phase, or finite numbers of at least 0, separated by commas"
                    .into()
            }
            Kind::NumbersOrAuto => {
                "auto, or finite numbers of at least 0, separated by commas".into()
            }
            Kind::NonNegativeOrAuto => "a finite number of at least 0, or auto".into(),
            Kind::Costs => {
                "uniform, mi, or finite numbers of at least 0, separated by commas".into()
            }
            Kind::Features => {
                "exact, or sketch:D with a whole number D of at least 1, such as sketch:2048".into()
            }
            Kind::RuleOrAuto => {
                "theory, a multiple of it such as 3.2x, a finite number above 0, or auto".into()
            }
        }
    }
}

/// A set of declared parameters with values: what every learner is.
pub trait Parameters {
    /// The declarations, in the order of the struct.
    fn declarations(&self) -> &'static [&'static Declaration];

    /// Refuses any value outside its declared range.
    fn check(&self) -> Result<()>;

    /// Sets a parameter from text; refuses unknown names and values out of range.
    fn set(&mut self, name: &str, text: &str) -> Result<()>;

    /// The value as text that [`set`](Parameters::set) reads back exactly; `None` for an unknown
    /// name.
    fn get(&self, name: &str) -> Option<String>;

    /// All values as a JSON object.
    fn to_json(&self) -> serde_json::Map<String, serde_json::Value>;
}

/// What a learner is called and where it comes from.
pub trait Described: Parameters + Clone + std::fmt::Debug + Send + Sync + 'static {
    /// The name in the program and in files.
    const NAME: &'static str;
    /// What it is, in one line.
    const TITLE: &'static str;
    /// Where it comes from: paper, algorithm, theorem.
    const SOURCE: &'static str;
    /// What it may look at, and when.
    const FAMILY: Family;
}

/// Parameters that had another name in version 1 of the files, which is still understood.
const RENAMED: [(&str, &str); 3] =
    [("money", MAX_COST.name), ("reading", MOMENT_REPAIR.name), ("values", COSTS.name)];

/// The name that a parameter has now.
pub(crate) fn renamed(name: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
}

/// The name that a parameter had in version 1 of the files.
pub(crate) fn first_name(name: &str) -> &str {
    RENAMED.iter().find(|(_, new)| *new == name).map_or(name, |(old, _)| old)
}

/// Sets every parameter that a JSON object names.
pub fn set_from_json(
    target: &mut dyn Parameters,
    json: &serde_json::Map<String, serde_json::Value>,
) -> Result<()> {
    for (name, value) in json {
        match value {
            serde_json::Value::String(text) => target.set(name, text)?,
            other => target.set(name, &other.to_string())?,
        }
    }
    Ok(())
}

pub(crate) fn check_value<V: Value>(value: &V, declaration: &Declaration) -> Result<()> {
    if value.is_in(&declaration.kind) {
        return Ok(());
    }
    let allowed = declaration.kind.allowed();
    Err(ErrorKind::OutOfRange { name: declaration.name, value: value.to_text(), allowed }.into())
}

pub(crate) fn read_value<V: Value>(text: &str, declaration: &Declaration) -> Result<V> {
    let value = V::from_text(text.trim()).ok_or_else(|| ErrorKind::NotAValue {
        name: declaration.name,
        text: text.to_owned(),
        expected: declaration.kind.allowed(),
    })?;
    check_value(&value, declaration)?;
    Ok(value)
}

pub(crate) fn unknown_parameter(learner: &str, name: &str, declarations: &[&Declaration]) -> Error {
    let known: Vec<String> = declarations.iter().map(|d| d.name.to_owned()).collect();
    let nearest = nearest(name, &known);
    ErrorKind::UnknownParameter {
        learner: learner.to_owned(),
        name: name.to_owned(),
        nearest,
        known,
    }
    .into()
}

/// Writes a learner's struct from declarations: `field: Type = default, DECLARATION;`.
macro_rules! parameters {
    ($(#[$meta:meta])* pub struct $Name:ident {
        name: $label:literal, family: $family:ident, title: $title:literal, source: $source:literal;
        $($field:ident : $Type:ty = $default:expr, $declaration:ident;)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Name {
            $(
                #[doc = concat!("See [`", stringify!($declaration), "`](crate::params::", stringify!($declaration), ").")]
                pub $field: $Type,
            )*
        }

        impl Default for $Name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $Name {
            /// The name in the program and in files.
            pub const NAME: &'static str = $label;
        }

        impl $crate::params::Described for $Name {
            const NAME: &'static str = $label;
            const TITLE: &'static str = $title;
            const SOURCE: &'static str = $source;
            const FAMILY: $crate::params::Family = $crate::params::Family::$family;
        }

        impl $crate::params::Parameters for $Name {
            fn declarations(&self) -> &'static [&'static $crate::params::Declaration] {
                &[$(&$crate::params::$declaration,)*]
            }

            fn check(&self) -> $crate::Result<()> {
                $($crate::params::check_value(&self.$field, &$crate::params::$declaration)?;)*
                Ok(())
            }

            fn set(&mut self, name: &str, text: &str) -> $crate::Result<()> {
                let name = $crate::params::renamed(name);
                $(if name == $crate::params::$declaration.name {
                    self.$field = $crate::params::read_value(text, &$crate::params::$declaration)?;
                    return Ok(());
                })*
                Err($crate::params::unknown_parameter($label, name, self.declarations()))
            }

            fn get(&self, name: &str) -> Option<String> {
                use $crate::params::Value;
                let name = $crate::params::renamed(name);
                $(if name == $crate::params::$declaration.name {
                    return Some(self.$field.to_text());
                })*
                None
            }

            fn to_json(&self) -> serde_json::Map<String, serde_json::Value> {
                use $crate::params::Value;
                let mut map = serde_json::Map::new();
                $(map.insert($crate::params::$declaration.name.into(), self.$field.to_json());)*
                map
            }
        }
    };
}
pub(crate) use parameters;

macro_rules! declare {
    ($($id:ident: $name:literal, $kind:expr, $doc:literal, $source:literal;)*) => {
        $(#[doc = concat!("`", $name, "`: ", $doc)]
        pub const $id: Declaration = Declaration { name: $name, kind: $kind, doc: $doc, source: $source };)*

        /// Every declaration of the house.
        pub const ALL: &[&Declaration] = &[$(&$id,)*];
    };
}

declare! {
    BUDGET: "budget", Kind::CountOrAuto { least: 1 },
        "Reads per example, all counted: those for the product <w,x> as well as those for the gradient. While all weights are 0 the product is 0 and its reads are not made. auto: 4, or all attributes where there are fewer; of fiml in the program and in Python every cell that is there, unless there is a total_budget.", "A 2.2; B 3 (where k = budget - 1)";
    TOTAL_BUDGET: "total_budget", Kind::CountOrAuto { least: 1 },
        "Reads in all that may be made, of a fit and in ask and tell: a fit stops before the first example whose reads would exceed what is left, and asking is refused, where open queries count with what they asked for. auto: as many as the examples need.", "";
    MAX_COST: "max_cost", Kind::PositiveOrAuto,
        "What the reads of one example may cost in all, at declared prices (1 each where nothing is said); never exceeded. auto: only their number is limited.", "";
    RADIUS: "radius", Kind::Positive,
        "Radius B of the ball that holds the weights of the sampled attributes, in scaled units and the norm of the method.", "A 2; B 2.1";
    KNOWN_RADIUS: "known_radius", Kind::Positive,
        "Radius of the Euclidean ball that holds the intercept and the weights of the always-known attributes, in scaled units.", "";
    STEP: "step", Kind::Rule,
        "Step size: theory (from the theorem, for the norms that the data have), a multiple of it such as 3.2x, or a number.", "B, theorems 3.1 and 3.4";
    PENALTY: "penalty", Kind::Rule,
        "Strength lambda of the penalty (lambda/2) |w|^2: theory, a multiple of it such as 3.2x, or a number.", "A, theorem 2";
    RIDGE_PENALTY: "penalty", Kind::PositiveOrAuto,
        "Weight alpha of the penalty in (1/m) sum of squared errors + alpha |w|^2; replaces the radius. auto: the radius decides.", "A, equation (5)";
    VARIANT: "variant", Kind::Choice(&["eg", "ogd", "rda"]),
        "How the weights move: exponentiated gradient, projected gradient steps, or regularised dual averaging.", "B 5 (solver left open)";
    VARIANT_STEP: "step", Kind::RuleOrAuto,
        "Step size: theory (from the variant's theorem, for the norms that the data have), a multiple of it such as 3.2x, or a number. auto: 32x for eg, theory for ogd and rda.", "B, theorem 3.4; Zinkevich 2003; Xiao 2010";
    L1_PENALTY: "penalty", Kind::NonNegative,
        "Strength lambda of the penalty lambda |w|_1 that variant rda adds to the loss (<w,x> - y)^2 / 2; the other variants have none.", "Xiao 2010";
    HORIZON: "horizon", Kind::CountOrAuto { least: 1 },
        "Examples to come; theory steps, penalties, tail averages and shares for a first phase use it. auto: the rows of a fit; unknown in ask and tell, where steps then fall as 1/sqrt(t).", "";
    TRUNCATE: "truncate", Kind::CountOrAuto { least: 1 },
        "Attributes that the model needs at prediction time: those with the largest weights; the others count as their mean. auto: all.", "A 1.1";
    REPLACEMENT: "replacement", Kind::Flag,
        "Whether one example's gradient reads are drawn with replacement (as paper B does) or without (smaller variance).", "B 3.1";
    CENTRE: "centre", Kind::Choice(&["none", "given", "running"]),
        "What is subtracted from each attribute: nothing, the given means, or its mean over the reads made so far.", "";
    AVERAGE: "average", Kind::Choice(&["all", "tail"]),
        "Which iterates the model averages: all of them (the theorems), or the second half; without a horizon tail weighs iterate t by t.", "";
    MOMENT_REPAIR: "moment_repair", Kind::Choice(&["stationary", "psd", "diag-shift"]),
        "What becomes of estimated second moments, which need not be positive semidefinite: used as they are, for a stationary point; as the nearest matrix that is; or with the size of their least eigenvalue added to the diagonal.", "A, algorithm 1";
    INTERCEPT: "intercept", Kind::Flag,
        "Whether an unpenalised constant is learned.", "C 2";
    PROBABILITIES: "probabilities", Kind::SharesOrAuto,
        "Probability q of each attribute in one draw for the gradient, one number per attribute that can be read, in the order of the table. auto: all alike.", "C 3.1";
    MOMENTS: "moments", Kind::Moments,
        "Second moments mu = E x^2 of the attributes about their centre, in scaled units, one per column. auto: those that the data declare or, where the learner may look, show; where neither, online: estimated from the reads as they come. two-phase: estimated from a first phase of uniform reads, which has a theorem.", "C 3.2";
    EXPLORATION: "exploration", Kind::Share,
        "With moments = online: share of uniform draws mixed in, so that no attribute starves.", "";
    PHASE1: "phase1", Kind::ShareOrCount,
        "With moments = two-phase: length of the first phase, whose draws are uniform: a share of the horizon (below 1), or a number of examples.", "C 3.2, algorithm 2";
    SMOOTHING: "smoothing", Kind::NonNegative,
        "With moments = two-phase: constant c of the smoothed moments A + c d log(2d/delta)/n1 of the second phase; 4/3 keeps the theorem, 0.001 to 0.01 often does better.", "C, theorem 3.6";
    CONFIDENCE: "confidence", Kind::Share,
        "With moments = two-phase: the probability delta with which the guarantee of the second phase may fail.", "C, theorem 3.6";
    MOMENT_NORM: "moment_norm", Kind::PositiveOrAuto,
        "With moments = two-phase: the half-norm H = (sum of sqrt mu)^2 of the second moments, in scaled units, where it is known beforehand. auto: estimated from the first phase.", "C, theorems 3.6 and 3.12";
    INNER: "inner", Kind::Choice(&["weights", "moments", "mixed"]),
        "How the product's reads are drawn: by the weights as the theorems have it, by |w| times the root of the moments (less variance on average over examples, no theorem), or half and half (at most twice the theorem's variance).", "C 3.3";
    STEPS: "step_rule", Kind::Choice(&["constant", "adagrad"]),
        "Whether all attributes share one step, or each has its own that falls with its squared gradients (diagonal AdaGrad, after which the projection is radial: no theorem covers that; 1x is then a four-hundredth of sqrt(2) times the radius).", "C, appendix A; Duchi, Hazan and Singer 2011";
    POWER: "p", Kind::BetweenOrAuto { least: 2.0, most: 64.0 },
        "Exponent p of the p-norm updates: 2 moves as gradient descent does, 2 ln d as exponentiated gradient, and beyond that the guarantee only gets worse. auto: 2 ln d, at least 2.", "A 5; Gentile 2003";
    PROJECT: "project", Kind::Flag,
        "Whether the weights are kept in the ball of the q-norm of this radius, 1/p + 1/q = 1. If not, the radius only sets theory's step.", "";
    PASSIVE: "passive", Kind::Choice(&["no", "one", "all"]),
        "no: the learner chooses what it reads. Otherwise each row comes with what happens to be observed, missing completely at random, and all of that is used (the budget plays no part): one observed attribute, drawn, estimates the product <w,x>, or all of them do, with less variance.", "B 6";
    BALL: "ball", Kind::Choice(&["l2", "l1"]),
        "The ball that holds the weights: Euclidean (projected gradient, as aerr), or of the l1 norm (exponentiated gradient, as aelr).", "B 4";
    LOSS: "loss", Kind::Choice(&["absolute", "hinge", "exponential", "logistic"]),
        "What is learned by: absolute (outside a tube, smoothed; regression), or a loss of classes -1 and +1: hinge (smoothed), exponential, logistic (needs norm_bound).", "B 4";
    TUBE: "tube", Kind::NonNegative,
        "Residuals up to this cost nothing (delta of the absolute loss), in scaled units.", "B 4.2";
    SMOOTHING_WIDTH: "smoothing_width", Kind::Positive,
        "Width eps over which the kinks of the absolute and the hinge loss are rounded, in scaled units. Estimates scatter like exp(2 (residual/eps)^2): keep it above the residuals.", "B 4.2";
    NORM_BOUND: "norm_bound", Kind::PositiveOrAuto,
        "Declared bound on the norm of the sampled attributes of any example about their centre, in scaled units: Euclidean with ball = l2, largest absolute value with ball = l1. Only the logistic loss needs it; auto: none is declared.", "";
    TOL: "tol", Kind::Positive,
        "Relative duality gap at which the solver stops.", "";
    MAX_ITER: "max_iter", Kind::Count { least: 1, most: u64::MAX },
        "Iterations after which the solver gives up; the report then says so.", "";
    GAMMA: "gamma", Kind::Count { least: 1, most: 64 },
        "Length of the sequences of attributes that the kernel k_gamma compares; 1 is imputation by zero. Tuning tries 1 to 4.", "D 2";
    LENGTH_WEIGHTS: "length_weights", Kind::NumbersOrAuto,
        "Weight a_r of the r-th power of the number of attributes that two rows share, for r = 0 to gamma - 1: as many numbers as gamma, of at least 0, not all 0. auto: 1 each, as in the paper.", "D 2 (generalised)";
    C: "c", Kind::Positive,
        "Weight C of the losses in |v|^2 / 2 + C sum of losses; 1/(rho m) in the paper's terms.", "D 3";
    NORMALIZATION: "normalization", Kind::Choice(&["none", "trace", "uniform", "cosine"]),
        "What the kernel is divided by: nothing; its mean over training rows with themselves (trace); its largest value for rows of length 1 (uniform); or so that each row has 1 with itself (cosine, another class of predictors).", "D 5 (left open)";
    DEGREE: "degree", Kind::Count { least: 1, most: 16 },
        "Exponent p of the composed kernel (k + coef0)^p; 1 is KARMA.", "D 6";
    COEF0: "coef0", Kind::NonNegative,
        "What is added to the kernel before it is raised to the power degree.", "D 6";
    KERNEL_LOSS: "loss", Kind::Choice(&["auto", "squared", "hinge"]),
        "What is minimised: squared (of the score against the target, -1/+1, or one column per class), or hinge (Crammer and Singer's for more than two classes). auto: squared for numbers, hinge for classes.", "D 5";
    FEATURES: "features", Kind::Features,
        "exact: the kernel itself, memory and time grow with the square of the rows. sketch:D: so many random features that approximate it, linear in the rows.", "Pham and Pagh 2013";
    SOLVER: "solver", Kind::Choice(&["exact", "online"]),
        "exact: to the tolerance. online: the paper's algorithm 1, one pass over the rows in a random order, averaged.", "D, algorithm 1";
    MEMORY: "memory", Kind::Positive,
        "GiB that the matrices of one fit may take; one that needs more is refused before it begins. Fits that run side by side (tuning, comparisons) may each take so much.", "";
    FILL: "fill", Kind::Choice(&["zero", "mean"]),
        "What stands for a missing cell: 0 in scaled units, or the mean of what was observed of the attribute.", "D 5";
    COMPLETION: "variant", Kind::Choice(&["b", "1"]),
        "What the constant of the labels is: b, one number for each label (MC-b); 1, a row of ones in the matrix (MC-1).", "Goldberg et al. 2010";
    RANK_PENALTY: "rank_penalty", Kind::Positive,
        "Weight mu of the nuclear norm at the end of the continuation, as a share of the least weight at which nothing but constants is learned.", "Goldberg et al. 2010";
    LABEL_WEIGHT: "label_weight", Kind::Positive,
        "Weight lambda of the labels' loss beside that of the attributes.", "Goldberg et al. 2010";
    LABEL_LOSS: "loss", Kind::Choice(&["auto", "logistic", "squared"]),
        "Loss of the labels' entries. auto: logistic for two classes (-1/+1), squared for more (0/1, one row per class) and for numbers.", "Goldberg et al. 2010; D 5";
    ROUNDS: "rounds", Kind::Count { least: 1, most: 1000 },
        "Rounds of reweighting each example by the share of the weights that it shows.", "Chechik et al. 2008; D 5";
    THREAT: "threat", Kind::NonNegativeOrAuto,
        "Budget N of the adversary: the total cost of the attributes that may vanish from a row at prediction time. Attributes declared known never vanish. auto: a tenth of the total cost, rounded down where costs are uniform: nothing with fewer than ten attributes.", "E 2";
    COSTS: "costs", Kind::Costs,
        "What it costs the adversary to take an attribute: uniform, 1 each; mi, in proportion to its mutual information with the target in the training rows (best threshold), 1 on average; or one number for each, in the order of the table.", "E 2 and 4";
    MARGIN: "margin", Kind::PositiveOrAuto,
        "Margin gamma that must be left after the worst deletions, in units of the score. auto: a hundredth of the cost that is left, P = total cost - threat, but no more than a tenth of the mean sum of absolute values of a row.", "E, equation (2)";
    BOX_RADIUS: "box_radius", Kind::Positive,
        "Largest absolute value C of a weight, in scaled units; only its ratio to margin matters.", "E, equation (3)";
    DELETIONS: "deletions", Kind::Choice(&["fractional", "whole"]),
        "Whether the adversary may take a part of an attribute: fractional, the linear program (4), an upper bound that is exact for equal costs; or whole, the program (3) itself, for costs that are whole numbers.", "E, equations (3) and (4)";
    DAMAGE: "damage", Kind::Choice(&["deletion", "noise"]),
        "What happens to the attributes that the adversary takes: deletion, they are 0; or noise, they are replaced by independent noise of mean 0 that is no larger than 1 in scaled units, and the margin is at least C sqrt(2 N ln(1/confidence)).", "E 2.4, theorem 3 (constant corrected)";
    NOISE_CONFIDENCE: "confidence", Kind::Share,
        "With damage = noise: the probability delta with which noise may do more than the margin covers.", "E, theorem 3";
    TRIED: "tried", Kind::Count { least: 1, most: 1_000_000_000 },
        "How many settings of threat, margin, box and costs were tried on these rows, this one included: the bound on new rows in the report holds for all of them at once. The program's tuning sets it.", "E, theorem 2 (union bound)";
    CHUNK: "chunk", Kind::CountOrAuto { least: 2 },
        "Rows of one chunk: the program is solved for random chunks of so many rows each, and their weights are averaged, as the paper had to do. auto: all rows at once, exactly.", "E 4";
    QUANTILE: "quantile", Kind::Share,
        "For numbers: the quantile q to predict, by the loss max(q r, (q - 1) r) of the residual r after the worst deletions; 0.5 is half the absolute loss.", "E 3 (extended); Koenker and Bassett 1978";
    PASSES: "passes", Kind::Count { least: 1, most: 10_000 },
        "Passes over the rows, each in a random order of its own; the theorem covers one. Of several, the pass whose average does best on the rows kept for validation is returned.", "E 3.3";
    VALIDATION: "validation", Kind::Share,
        "With more than one pass: the share of the rows that choose the pass, by their loss under the worst deletions, and are not learned from.", "";
    DESIGN: "design", Kind::Choice(&["uniform", "adaptive"]),
        "How the attributes to read are chosen. uniform: every set of so many attributes is as likely as any other. adaptive: after a first uniform part in proportion to what each adds to the prediction, as the reads so far tell; three tenths of the reads stay uniform.", "";
    RANK: "rank", Kind::CountOrAuto { least: 1 },
        "Factors of the model of the attributes. auto: models of several ranks are fitted, and chosen among by held-out reads.", "Rubin and Thayer 1982";
    FOLDS: "folds", Kind::Count { least: 2, most: 10 },
        "Folds of the examples: models are fitted to the others, judged by the reads of the one held out, and averaged.", "";
    DEVIATIONS: "deviations", Kind::Count { least: 0, most: 1000 },
        "Refits to reweighted examples, from which standard errors of the weights and prediction intervals come; 0: none.", "";
    LINK: "link", Kind::Choice(&["identity", "probit", "logistic", "auto"]),
        "For two classes: how a score becomes the probability of a class. identity: not at all, scores estimate -1 and +1; probit, logistic: by that function; auto: by what held-out reads favour.", "";
    SEED: "seed", Kind::Count { least: 0, most: i64::MAX as u64 },
        "Seed of every random choice.", "";
}

#[cfg(test)]
mod tests;
