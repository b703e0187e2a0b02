//! Declares the parameters that no learner of the library has.

pub use halfseen::params::*;

/// `variant`.
pub const VARIANT: Declaration = Declaration {
    name: "variant",
    kind: Kind::Choice(&["eg", "ogd", "rda"]),
    doc: "Update of the weights: exponentiated gradient (eg), projected gradient (ogd), or regularised dual averaging (rda).",
    source: "Hazan and Koren 2012, section 5 (solver left open)",
};

/// `step`.
pub const VARIANT_STEP: Declaration = Declaration {
    name: "step",
    kind: Kind::RuleOrAuto,
    doc: "Step size: theory (from the variant's theorem, for the norms of the data), a multiple of it such as 3.2x, or a number. auto: 32x for eg, theory for ogd and rda.",
    source: "Hazan and Koren 2012, theorem 3.4; Zinkevich 2003; Xiao 2010",
};

/// `penalty`.
pub const L1_PENALTY: Declaration = Declaration {
    name: "penalty",
    kind: Kind::NonNegative,
    doc: "Strength lambda of the penalty lambda |w|_1 that variant rda adds to the loss (<w,x> - y)^2 / 2; the other variants have none.",
    source: "Xiao 2010",
};

/// `rounds`.
pub const ROUNDS: Declaration = Declaration {
    name: "rounds",
    kind: Kind::Count { least: 1, most: 1000 },
    doc: "Number of reweighting rounds; each weights every example by the share of the weights that lies on its observed attributes.",
    source: "Chechik et al. 2008; Hazan et al. 2015, section 5",
};

/// Update of weights in the l1 ball from whole examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Normalised exponentiated gradient.
    Eg,
    /// Projected gradient steps.
    Ogd,
    /// Regularised dual averaging.
    Rda,
}

impl ParameterValue for Variant {
    fn from_text(text: &str) -> Option<Self> {
        [Variant::Eg, Variant::Ogd, Variant::Rda].into_iter().find(|v| v.to_text() == text)
    }

    fn to_text(&self) -> String {
        match self {
            Variant::Eg => "eg".into(),
            Variant::Ogd => "ogd".into(),
            Variant::Rda => "rda".into(),
        }
    }

    fn to_json(&self) -> serde_json::Value {
        self.to_text().into()
    }

    fn is_in(&self, kind: &Kind) -> bool {
        matches!(kind, Kind::Choice(words) if words.contains(&self.to_text().as_str()))
    }
}
