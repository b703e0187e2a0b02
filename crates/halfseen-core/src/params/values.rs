//! Reads, shows and range-checks the values of parameters.

use super::Kind;
use serde::{Deserialize, Serialize};

/// A type of parameter values. `from_text(to_text(v)) == v` for every value in range.
pub trait ParameterValue: Clone + PartialEq + Sized {
    /// Reads a value; `None` if the text is not one.
    fn from_text(text: &str) -> Option<Self>;
    /// Shows a value exactly.
    fn to_text(&self) -> String;
    /// Returns the value as JSON.
    fn to_json(&self) -> serde_json::Value {
        self.to_text().into()
    }
    /// Returns true if the value is in the range of `kind`.
    fn is_in(&self, kind: &Kind) -> bool;
}

/// Implements [`ParameterValue`] for types that Rust reads, shows and turns into JSON, by their range.
macro_rules! plain_values {
    ($($Type:ty: |$value:ident, $kind:ident| $is_in:expr;)*) => {
        $(impl ParameterValue for $Type {
            fn from_text(text: &str) -> Option<Self> {
                text.parse().ok()
            }
            fn to_text(&self) -> String {
                self.to_string()
            }
            fn to_json(&self) -> serde_json::Value {
                (*self).into()
            }
            fn is_in(&self, $kind: &Kind) -> bool {
                let $value = *self;
                $is_in
            }
        })*
    };
}

plain_values! {
    bool: |_flag, kind| matches!(kind, Kind::Flag);
    u64: |count, kind| match *kind {
        Kind::Count { least, most } => (least..=most).contains(&count),
        Kind::CountOrAuto { least } => count >= least,
        _ => false,
    };
    f64: |number, kind| match *kind {
        Kind::Positive | Kind::PositiveOrAuto | Kind::Rule => number.is_finite() && number > 0.0,
        Kind::NonNegative | Kind::NonNegativeOrAuto => number.is_finite() && number >= 0.0,
        Kind::BetweenOrAuto { least, most } => (least..=most).contains(&number),
        Kind::Share => number > 0.0 && number < 1.0,
        Kind::ShareOrCount => {
            (number > 0.0 && number < 1.0) || (number >= 1.0 && number.fract() == 0.0 && number < 9e15)
        }
        _ => false,
    };
}

/// Numbers separated by commas.
impl ParameterValue for Vec<f64> {
    fn from_text(text: &str) -> Option<Self> {
        let inside = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
        inside.split(',').map(|number| number.trim().parse().ok()).collect()
    }
    fn to_text(&self) -> String {
        self.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
    }
    fn to_json(&self) -> serde_json::Value {
        self.clone().into()
    }
    fn is_in(&self, kind: &Kind) -> bool {
        let numbers = self.iter().all(|v| v.is_finite() && *v >= 0.0);
        match kind {
            Kind::SharesOrAuto => numbers && (self.iter().sum::<f64>() - 1.0).abs() <= 1e-9,
            Kind::Moments | Kind::Costs => numbers,
            _ => false,
        }
    }
}

/// Defines an enum of words or else numbers, and its [`ParameterValue`].
macro_rules! words_or_numbers {
    ($(#[$meta:meta])* $Name:ident, $Kind:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $Name {
            $($(#[$doc])* $variant,)*
            /// These numbers.
            Numbers(Vec<f64>),
        }

        impl ParameterValue for $Name {
            fn from_text(text: &str) -> Option<Self> {
                match text { $($word => Some($Name::$variant),)* _ => Vec::from_text(text).map($Name::Numbers) }
            }
            fn to_text(&self) -> String {
                match self { $($Name::$variant => $word.into(),)* $Name::Numbers(numbers) => numbers.to_text() }
            }
            fn to_json(&self) -> serde_json::Value {
                if let $Name::Numbers(numbers) = self { numbers.to_json() } else { self.to_text().into() }
            }
            fn is_in(&self, kind: &Kind) -> bool {
                if let $Name::Numbers(numbers) = self { numbers.is_in(kind) } else { matches!(kind, Kind::$Kind) }
            }
        }
    };
}

words_or_numbers! {
    /// Source of the second moments.
    MomentSource, Moments {
        /// Declared with the data or computed from them.
        Auto = "auto",
        /// The reads, as they come.
        Online = "online",
        /// The reads of a first phase, whose draws are uniform.
        TwoPhase = "two-phase",
    }
}

words_or_numbers! {
    /// Cost of deleting an attribute; numbers are one per attribute that can be deleted.
    AttributeCosts, Costs {
        /// 1 each.
        Uniform = "uniform",
        /// Proportional to the mutual information with the target.
        Information = "mi",
    }
}

/// `None` is `auto`.
impl<V: ParameterValue> ParameterValue for Option<V> {
    fn from_text(text: &str) -> Option<Self> {
        if text == "auto" { Some(None) } else { V::from_text(text).map(Some) }
    }
    fn to_text(&self) -> String {
        self.as_ref().map_or("auto".into(), V::to_text)
    }
    fn to_json(&self) -> serde_json::Value {
        self.as_ref().map_or("auto".into(), V::to_json)
    }
    fn is_in(&self, kind: &Kind) -> bool {
        match self {
            None => matches!(
                kind,
                Kind::CountOrAuto { .. }
                    | Kind::PositiveOrAuto
                    | Kind::SharesOrAuto
                    | Kind::RuleOrAuto
                    | Kind::BetweenOrAuto { .. }
                    | Kind::NonNegativeOrAuto
            ),
            Some(value) => value.is_in(kind),
        }
    }
}

/// A multiple of the theorem's value, or a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Rule {
    /// A multiple of the theorem's value; `theory` itself is 1.
    Theory(f64),
    /// This value.
    Fixed(f64),
}

impl Rule {
    /// Returns the value, given the theorem's.
    pub fn resolve(self, theory: f64) -> f64 {
        match self {
            Rule::Theory(times) => times * theory,
            Rule::Fixed(value) => value,
        }
    }
}

impl ParameterValue for Rule {
    fn from_text(text: &str) -> Option<Self> {
        match (text, text.strip_suffix('x')) {
            ("theory", _) => Some(Rule::Theory(1.0)),
            (_, Some(times)) => times.parse().ok().map(Rule::Theory),
            _ => text.parse().ok().map(Rule::Fixed),
        }
    }
    fn to_text(&self) -> String {
        match self {
            Rule::Theory(1.0) => "theory".into(),
            Rule::Theory(times) => format!("{times}x"),
            Rule::Fixed(value) => value.to_string(),
        }
    }
    fn to_json(&self) -> serde_json::Value {
        match self {
            Rule::Theory(_) => self.to_text().into(),
            Rule::Fixed(value) => (*value).into(),
        }
    }
    fn is_in(&self, kind: &Kind) -> bool {
        let (Rule::Theory(number) | Rule::Fixed(number)) = self;
        matches!(kind, Kind::Rule | Kind::RuleOrAuto) && number.is_in(&Kind::Rule)
    }
}

/// Use of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Features {
    /// Through its Gram matrix.
    Exact,
    /// Through this number of random features.
    Sketch(u64),
}

impl ParameterValue for Features {
    fn from_text(text: &str) -> Option<Self> {
        match text.strip_prefix("sketch:") {
            Some(count) => count.trim().parse().ok().map(Features::Sketch),
            None => (text == "exact").then_some(Features::Exact),
        }
    }
    fn to_text(&self) -> String {
        match self {
            Features::Exact => "exact".into(),
            Features::Sketch(count) => format!("sketch:{count}"),
        }
    }
    fn is_in(&self, kind: &Kind) -> bool {
        matches!(kind, Kind::Features) && *self != Features::Sketch(0)
    }
}
