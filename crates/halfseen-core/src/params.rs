//! Declares every parameter once: name, kind, range, meaning and source.
//!
//! A [`Declaration`] is a constant. The `parameters!` macro builds a learner's struct from
//! declarations and defaults, with `Default` and [`Parameters`]: range check, set and get by name,
//! and the list for help texts and other languages.

mod needs;
mod values;
mod words;

pub use needs::{Family, Looks, Needs, Targets};
pub use values::{AttributeCosts, Features, MomentSource, ParameterValue, Rule};
pub use words::{
    Average, Ball, Centre, CompletionVariant, Damage, Deletions, Design, Fill, Inner, KernelLoss,
    KernelSolver, LabelLoss, Link, MomentRepair, Normalization, Passive, Shape, SmoothLoss, Steps,
};

use crate::error::{Error, ErrorKind, Result, list, maybe, nearest, short};

/// Declaration of one parameter, shared by every learner that has it.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// Name of the parameter, the same everywhere.
    pub name: &'static str,
    /// Values it accepts.
    pub kind: Kind,
    /// Meaning, in one or two sentences.
    pub doc: &'static str,
    /// Paper, theorem or algorithm; empty for parameters without a published source.
    pub source: &'static str,
}

/// Kind and range of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// An integer in a range.
    Count {
        /// Minimum.
        least: u64,
        /// Maximum.
        most: u64,
    },
    /// An integer, or `auto`.
    CountOrAuto {
        /// Minimum.
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
    /// `theory`, a multiple of it, a number above zero, or `auto`.
    RuleOrAuto,
    /// A number above 0 and below 1.
    Share,
    /// A number above 0 and below 1, or a whole number of at least 1.
    ShareOrCount,
    /// Numbers of at least 0 that sum to 1, or `auto`.
    SharesOrAuto,
    /// A number in a range, or `auto`.
    BetweenOrAuto {
        /// Minimum.
        least: f64,
        /// Maximum.
        most: f64,
    },
    /// `auto`, `online`, `two-phase`, or numbers of at least 0.
    Moments,
    /// A finite number of at least 0, or `auto`.
    NonNegativeOrAuto,
    /// `uniform`, `mi`, or numbers of at least 0.
    Costs,
    /// `exact`, or `sketch:` and an integer of at least 1.
    Features,
}

impl Kind {
    /// Returns the range in words, for error messages and help texts.
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

/// Declared parameters and their values; every learner is such a set.
pub trait Parameters {
    /// Returns the declarations, in the order of the struct.
    fn declarations(&self) -> &'static [&'static Declaration];

    /// Refuses any value outside its declared range.
    fn check(&self) -> Result<()>;

    /// Sets a parameter from text; refuses unknown names and values out of range.
    fn set(&mut self, name: &str, text: &str) -> Result<()>;

    /// Returns the value as text that [`set`](Parameters::set) reads back exactly; `None` for an
    /// unknown name.
    fn get(&self, name: &str) -> Option<String>;

    /// Returns all values as a JSON object.
    fn to_json(&self) -> serde_json::Map<String, serde_json::Value>;
}

/// Name and source of a learner.
pub trait Described: Parameters + Clone + std::fmt::Debug + Send + Sync + 'static {
    /// Name in the program and in files.
    const NAME: &'static str;
    /// Description in one line.
    const TITLE: &'static str;
    /// Source: paper, algorithm, theorem.
    const SOURCE: &'static str;
    /// Data that it may look at, and when.
    const FAMILY: Family;
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

/// Refuses a value out of the declared range.
///
/// # Errors
/// [`ErrorKind::OutOfRange`].
pub fn check_value<V: ParameterValue>(value: &V, declaration: &Declaration) -> Result<()> {
    if value.is_in(&declaration.kind) {
        return Ok(());
    }
    let allowed = declaration.kind.allowed();
    Err(ErrorKind::OutOfRange { name: declaration.name, value: value.to_text(), allowed }.into())
}

/// Reads a value from text, and refuses one out of the declared range.
///
/// # Errors
/// [`ErrorKind::NotAValue`], [`ErrorKind::OutOfRange`].
pub fn read_value<V: ParameterValue>(text: &str, declaration: &Declaration) -> Result<V> {
    let value = V::from_text(text.trim()).ok_or_else(|| ErrorKind::NotAValue {
        name: declaration.name,
        text: text.to_owned(),
        expected: declaration.kind.allowed(),
    })?;
    check_value(&value, declaration)?;
    Ok(value)
}

/// Returns the error for a name that is none of the declared ones, with the nearest.
pub fn unknown_parameter(learner: &str, name: &str, declarations: &[&Declaration]) -> Error {
    let known: Vec<String> = declarations.iter().map(|d| d.name.to_owned()).collect();
    let nearest = nearest(name, &known);
    let (learner, name, near) = (short(learner), short(name), maybe(&nearest));
    let known = list(&known);
    ErrorKind::Request(format!(
        "learner {learner} has no parameter '{name}'{near}; it has: {known}"
    ))
    .into()
}

/// Writes a learner's struct from declarations: `field: Type = default, DECLARATION;`. A declaration
/// is one of [`params`](crate::params), or a constant in scope.
#[macro_export]
macro_rules! parameters {
    ($(#[$meta:meta])* pub struct $Name:ident {
        name: $label:literal, family: $family:ident, title: $title:literal, source: $source:literal;
        $($field:ident : $Type:ty = $default:expr, $declaration:ident;)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Name {
            $(
                #[doc = concat!("See `params::", stringify!($declaration), "`.")]
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
                use $crate::params::*;
                &[$(&$declaration,)*]
            }

            fn check(&self) -> $crate::Result<()> {
                use $crate::params::*;
                $(check_value(&self.$field, &$declaration)?;)*
                Ok(())
            }

            fn set(&mut self, name: &str, text: &str) -> $crate::Result<()> {
                use $crate::params::*;
                $(if name == $declaration.name {
                    self.$field = read_value(text, &$declaration)?;
                    return Ok(());
                })*
                Err(unknown_parameter($label, name, self.declarations()))
            }

            fn get(&self, name: &str) -> Option<String> {
                use $crate::params::*;
                $(if name == $declaration.name {
                    return Some(self.$field.to_text());
                })*
                None
            }

            fn to_json(&self) -> serde_json::Map<String, serde_json::Value> {
                use $crate::params::*;
                let mut map = serde_json::Map::new();
                $(map.insert($declaration.name.into(), self.$field.to_json());)*
                map
            }
        }
    };
}
#[doc(inline)]
pub use parameters;

macro_rules! declare {
    ($($id:ident: $name:literal, $kind:expr, $doc:literal, $source:literal;)*) => {
        $(#[doc = concat!("`", $name, "`: ", $doc)]
        pub const $id: Declaration = Declaration { name: $name, kind: $kind, doc: $doc, source: $source };)*

        /// All declarations.
        pub const ALL: &[&Declaration] = &[$(&$id,)*];
    };
}

declare! {
    BUDGET: "budget", Kind::CountOrAuto { least: 1 },
        "Number of reads per example, for the product <w,x> and for the gradient together. While all weights are 0 the product is 0 and is not read. auto: 4, or all attributes if there are fewer; for fiml in the program and in Python, every cell present, unless total_budget is set.", "Cesa-Bianchi et al. 2010, section 2.2; Hazan and Koren 2012, section 3 (where k = budget - 1)";
    TOTAL_BUDGET: "total_budget", Kind::CountOrAuto { least: 1 },
        "Maximum number of reads in total, in a fit or in ask and tell. A fit stops before the first example that would exceed it; asking is then refused, counting the reads of open queries. auto: no limit.", "";
    MAX_COST: "max_cost", Kind::PositiveOrAuto,
        "Maximum cost of the reads of one example, at declared prices (1 where none is declared); never exceeded. auto: only the number of reads is limited.", "";
    TOTAL_COST: "total_cost", Kind::PositiveOrAuto,
        "Maximum cost of all reads, at declared prices (1 where none is declared), in a fit or in ask and tell. A fit stops before the first example that would exceed it; asking is then refused, counting the reads of open queries. auto: no limit.", "";
    RADIUS: "radius", Kind::Positive,
        "Radius B of the ball that holds the weights of the sampled attributes, in scaled units and the norm of the method.", "Cesa-Bianchi et al. 2010, section 2; Hazan and Koren 2012, section 2.1";
    STEP: "step", Kind::Rule,
        "Step size: theory (from the theorem, for the norms of the data), a multiple of it such as 3.2x, or a number.", "Hazan and Koren 2012, theorems 3.1 and 3.4";
    PENALTY: "penalty", Kind::Rule,
        "Strength lambda of the penalty (lambda/2) |w|^2: theory, a multiple of it such as 3.2x, or a number.", "Cesa-Bianchi et al. 2010, theorem 2";
    RIDGE_PENALTY: "penalty", Kind::PositiveOrAuto,
        "Weight alpha of the penalty in (1/m) sum of squared errors + alpha |w|^2; replaces the radius. auto: the radius is used.", "Cesa-Bianchi et al. 2010, equation (5)";
    HORIZON: "horizon", Kind::CountOrAuto { least: 1 },
        "Number of examples to come, for theory steps, penalties, tail averages and first phases. auto: the number of rows of a fit; unknown in ask and tell, where steps then fall as 1/sqrt(t).", "";
    TRUNCATE: "truncate", Kind::CountOrAuto { least: 1 },
        "Number of attributes that the model uses at prediction time: those with the largest weights; the others are set to their means. auto: all.", "Cesa-Bianchi et al. 2010, section 1.1";
    REPLACEMENT: "replacement", Kind::Flag,
        "If true, the gradient reads of one example are drawn with replacement (as in the paper); if false without (smaller variance).", "Hazan and Koren 2012, section 3.1";
    CENTRE: "centre", Kind::Choice(&["none", "given", "running"]),
        "Centre subtracted from each attribute: nothing (none), the given means, or the running mean of its reads so far.", "";
    AVERAGE: "average", Kind::Choice(&["all", "tail"]),
        "Iterates that the model averages: all (as in the theorems), or those of the second half (tail). Without a horizon, tail weights iterate t by t.", "";
    MOMENT_REPAIR: "moment_repair", Kind::Choice(&["stationary", "psd", "diag-shift"]),
        "Repair of the estimated second moments, which may not be positive semidefinite: stationary (none; a stationary point is sought), psd (the nearest positive semidefinite matrix), or diag-shift (the size of the least eigenvalue is added to the diagonal if it is negative).", "Cesa-Bianchi et al. 2010, algorithm 1";
    INTERCEPT: "intercept", Kind::Flag,
        "If true, an unpenalised intercept is learned.", "Kukliansky and Shamir 2015, section 2";
    PROBABILITIES: "probabilities", Kind::SharesOrAuto,
        "Probability q of each attribute in one gradient draw: one number per attribute that can be read, in the order of the table. auto: uniform.", "Kukliansky and Shamir 2015, section 3.1";
    MOMENTS: "moments", Kind::Moments,
        "Second moments mu = E x^2 of the attributes about their centre, in scaled units, one per column. auto: those declared with the data or, where the learner may look, computed from them; otherwise as online. online: estimated from the reads as they come. two-phase: estimated from a first phase of uniform reads, which has a theorem.", "Kukliansky and Shamir 2015, section 3.2";
    PHASE1: "phase1", Kind::ShareOrCount,
        "With moments = two-phase: length of the first phase, whose draws are uniform: a share of the horizon (below 1), or a number of examples.", "Kukliansky and Shamir 2015, section 3.2, algorithm 2";
    SMOOTHING: "smoothing", Kind::NonNegative,
        "With moments = two-phase: constant c of the smoothed moments A + c d log(2d/delta)/n1 of the second phase. 4/3 keeps the theorem; 0.001 to 0.01 often does better.", "Kukliansky and Shamir 2015, theorem 3.6";
    CONFIDENCE: "confidence", Kind::Share,
        "Probability delta that a guarantee fails: with moments = two-phase that of the second phase, with damage = noise that noise does no more than the margin covers.", "Kukliansky and Shamir 2015, theorem 3.6; Dekel and Shamir 2008, theorem 3";
    MOMENT_NORM: "moment_norm", Kind::PositiveOrAuto,
        "With moments = two-phase: half-norm H = (sum of sqrt mu)^2 of the second moments, in scaled units, if known beforehand. auto: estimated from the first phase.", "Kukliansky and Shamir 2015, theorems 3.6 and 3.12";
    INNER: "inner", Kind::Choice(&["weights", "moments", "mixed"]),
        "Distribution of the reads for the product. weights: as in the theorems. moments: proportional to |w| times the root of the moments (less variance on average over examples, no theorem). mixed: half and half (at most twice the theorem's variance).", "Kukliansky and Shamir 2015, section 3.3";
    STEPS: "step_rule", Kind::Choice(&["constant", "adagrad"]),
        "constant: all attributes share one step. adagrad: each has its own, which falls with its squared gradients (diagonal AdaGrad with a radial projection, which no theorem covers; 1x is a four-hundredth of sqrt(2) times the radius).", "Kukliansky and Shamir 2015, appendix A; Duchi, Hazan and Singer 2011";
    POWER: "p", Kind::BetweenOrAuto { least: 2.0, most: 64.0 },
        "Exponent p of the p-norm updates: 2 is gradient descent, 2 ln d resembles exponentiated gradient; a larger p only weakens the guarantee. auto: 2 ln d, at least 2.", "Cesa-Bianchi et al. 2010, section 5; Gentile 2003";
    PROJECT: "project", Kind::Flag,
        "If true, the weights are kept in the ball of the q-norm of this radius, 1/p + 1/q = 1; if false, the radius only sets the theory step.", "";
    PASSIVE: "passive", Kind::Choice(&["no", "one", "all"]),
        "no: the learner chooses its reads. one, all: each row comes with the attributes that happen to be observed, missing completely at random; all of them are used and the budget is ignored. The product <w,x> is estimated from one randomly drawn observed attribute (one) or from all of them (all: lower variance).", "Hazan and Koren 2012, section 6";
    BALL: "ball", Kind::Choice(&["l2", "l1"]),
        "Ball that holds the weights: l2 (projected gradient, as in aerr) or l1 (exponentiated gradient, as in aelr).", "Hazan and Koren 2012, section 4";
    LOSS: "loss", Kind::Choice(&["absolute", "hinge", "exponential", "logistic"]),
        "Loss to minimise. For regression: absolute (smoothed, zero inside a tube). For classes -1 and +1: hinge (smoothed), exponential, or logistic (needs norm_bound).", "Hazan and Koren 2012, section 4";
    TUBE: "tube", Kind::NonNegative,
        "Residuals up to this size cost nothing (delta of the absolute loss), in scaled units.", "Hazan and Koren 2012, section 4.2";
    SMOOTHING_WIDTH: "smoothing_width", Kind::Positive,
        "Width eps over which the kinks of the absolute and the hinge loss are smoothed, in scaled units. The spread of the estimates grows like exp(2 (residual/eps)^2): keep eps above the residuals.", "Hazan and Koren 2012, section 4.2";
    NORM_BOUND: "norm_bound", Kind::PositiveOrAuto,
        "Declared bound on the norm of the sampled attributes of any example about their centre, in scaled units: Euclidean with ball = l2, largest absolute value with ball = l1. Only the logistic loss needs it. auto: none is declared.", "";
    TOL: "tol", Kind::Positive,
        "Relative duality gap at which the solver stops.", "";
    MAX_ITER: "max_iter", Kind::Count { least: 1, most: u64::MAX },
        "Maximum number of iterations of the solver; the report says if it was reached.", "";
    GAMMA: "gamma", Kind::Count { least: 1, most: 64 },
        "Length of the sequences of attributes that the kernel k_gamma compares; 1 is imputation by zero. Tuning tries 1 to 4.", "Hazan et al. 2015, section 2";
    C: "c", Kind::Positive,
        "Weight C of the losses in |v|^2 / 2 + C sum of losses; 1/(rho m) in the paper.", "Hazan et al. 2015, section 3";
    NORMALIZATION: "normalization", Kind::Choice(&["none", "trace", "uniform", "cosine"]),
        "Divisor of the kernel: none; trace, its mean over the training rows with themselves; uniform, its largest value for rows of length 1; cosine, so that each row has 1 with itself (another class of predictors).", "Hazan et al. 2015, section 5 (left open)";
    DEGREE: "degree", Kind::Count { least: 1, most: 16 },
        "Exponent p of the composed kernel (k + 1)^p, for p above 1; 1 is KARMA.", "Hazan et al. 2015, section 6";
    KERNEL_LOSS: "loss", Kind::Choice(&["auto", "squared", "hinge"]),
        "Loss to minimise: squared (of the score against the target: the number, -1/+1, or one column per class), or hinge (Crammer and Singer's for more than two classes). auto: squared for numbers, hinge for classes.", "Hazan et al. 2015, section 5";
    FEATURES: "features", Kind::Features,
        "Computation of the kernel. exact: the kernel itself; memory and time grow with the square of the number of rows. sketch:D: D random features that approximate it; linear in the number of rows.", "Pham and Pagh 2013";
    SOLVER: "solver", Kind::Choice(&["exact", "online"]),
        "exact: solved to the tolerance. online: algorithm 1 of the paper, one pass over the rows in random order, averaged.", "Hazan et al. 2015, algorithm 1";
    FILL: "fill", Kind::Choice(&["zero", "mean"]),
        "Value imputed for a missing cell: 0 in scaled units, or the mean of the observed values of the attribute.", "Hazan et al. 2015, section 5";
    COMPLETION: "variant", Kind::Choice(&["b", "1"]),
        "Intercept of the labels: b, one constant per label (MC-b); 1, a row of ones in the matrix (MC-1).", "Goldberg et al. 2010";
    RANK_PENALTY: "rank_penalty", Kind::Positive,
        "Weight mu of the nuclear norm at the end of the continuation, as a share of the smallest weight at which only constants are learned.", "Goldberg et al. 2010";
    LABEL_WEIGHT: "label_weight", Kind::Positive,
        "Weight lambda of the loss of the labels relative to that of the attributes.", "Goldberg et al. 2010";
    LABEL_LOSS: "loss", Kind::Choice(&["auto", "logistic", "squared"]),
        "Loss of the label entries. auto: logistic for two classes (-1/+1), squared for more (0/1, one row per class) and for numbers.", "Goldberg et al. 2010; Hazan et al. 2015, section 5";
    THREAT: "threat", Kind::NonNegativeOrAuto,
        "Budget N of the adversary: maximum total cost of the attributes deleted from a row at prediction time. Known attributes are never deleted. auto: a tenth of the total cost, rounded down where costs are uniform: 0 with fewer than ten attributes.", "Dekel and Shamir 2008, section 2";
    COSTS: "costs", Kind::Costs,
        "Cost of each attribute to the adversary: uniform, 1 each; mi, proportional to its mutual information with the target in the training rows (best threshold), 1 on average; or one number per attribute, in the order of the table.", "Dekel and Shamir 2008, sections 2 and 4";
    MARGIN: "margin", Kind::PositiveOrAuto,
        "Margin gamma required after the worst deletions, in units of the score. auto: a hundredth of the remaining cost P = total cost - threat, but at most a tenth of the mean l1 norm of a row.", "Dekel and Shamir 2008, equation (2)";
    BOX_RADIUS: "box_radius", Kind::Positive,
        "Largest absolute value C of a weight, in scaled units; only its ratio to margin matters.", "Dekel and Shamir 2008, equation (3)";
    DELETIONS: "deletions", Kind::Choice(&["fractional", "whole"]),
        "fractional: the adversary may delete a part of an attribute (linear program (4), an upper bound, exact for equal costs). whole: only whole attributes (program (3) itself; costs must be whole numbers).", "Dekel and Shamir 2008, equations (3) and (4)";
    DAMAGE: "damage", Kind::Choice(&["deletion", "noise"]),
        "Effect on the attacked attributes: deletion, they become 0; noise, they are replaced by independent noise of mean 0 and absolute value at most 1 in scaled units, and the margin is at least C sqrt(2 N ln(1/confidence)).", "Dekel and Shamir 2008, section 2.4, theorem 3 (constant corrected)";
    TRIED: "tried", Kind::Count { least: 1, most: 1_000_000_000 },
        "Number of settings of threat, margin, box and costs tried on these rows, with this one; the report's bound on new rows holds for all of them at once. Tuning in the program sets it.", "Dekel and Shamir 2008, theorem 2 (union bound)";
    CHUNK: "chunk", Kind::CountOrAuto { least: 2 },
        "Number of rows per chunk: the program is solved for random chunks and their weights are averaged, as in the paper. auto: all rows at once, exactly.", "Dekel and Shamir 2008, section 4";
    QUANTILE: "quantile", Kind::Share,
        "For numeric targets: the quantile q to predict, by the loss max(q r, (q - 1) r) of the residual r after the worst deletions; 0.5 is half the absolute loss. Any other is tuned and tested by this loss, 0.5 by the squared error.", "Dekel and Shamir 2008, section 3 (extended); Koenker and Bassett 1978";
    PASSES: "passes", Kind::Count { least: 1, most: 10_000 },
        "Number of passes over the rows, each in its own random order; the theorem covers one. If there are several, the pass whose average does best, by the loss under the worst deletions, on a tenth of the rows that are kept for this is returned.", "Dekel and Shamir 2008, section 3.3";
    DESIGN: "design", Kind::Choice(&["uniform", "adaptive"]),
        "Choice of the attributes to read. uniform: every set of the same size is equally likely. adaptive: uniform at first, then proportional to each attribute's estimated contribution to the prediction; three tenths of the reads stay uniform. Under max_cost the order in which attributes are taken is drawn so, with contributions divided by the square roots of the prices.", "";
    SHAPE: "shape", Kind::Choice(&["linear", "additive", "auto"]),
        "Functions of the attributes that predictions are sums of. linear: a weight for each attribute. additive: beside it one curve of each attribute whose reads show that the target bends along it. auto: an average of both by held-out reads, in which models with curves count as worse by a standard error.", "Curve and shrinkage: James and Stein 1961";
    RANK: "rank", Kind::CountOrAuto { least: 1 },
        "Number of factors of the model of the attributes. auto: selected by held-out reads among models of several ranks.", "Rubin and Thayer 1982";
    FOLDS: "folds", Kind::Count { least: 2, most: 10 },
        "Number of folds: each model is fitted on the other folds, evaluated on the reads of the held-out one, and the models are averaged.", "";
    DEVIATIONS: "deviations", Kind::Count { least: 0, most: 1000 },
        "Number of refits on reweighted examples that give standard errors of the weights and prediction intervals; 0: none.", "";
    LINK: "link", Kind::Choice(&["identity", "probit", "logistic", "auto"]),
        "For classes: map from score to class probability. identity: none, scores estimate -1 and +1. probit, logistic: that function. auto: the one that held-out reads favour.", "";
    SEED: "seed", Kind::Count { least: 0, most: i64::MAX as u64 },
        "Seed of the random number generator.", "";
}
