//! Lists the words that parameters choose from.

use super::{Kind, Value};
use serde::{Deserialize, Serialize};

/// Gives an enum of words its [`Value`].
macro_rules! words {
    ($(#[$meta:meta])* $Name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $Name { $($(#[$doc])* #[serde(rename = $word)] $variant,)* }

        impl Value for $Name {
            fn from_text(text: &str) -> Option<Self> {
                match text { $($word => Some($Name::$variant),)* _ => None }
            }
            fn to_text(&self) -> String {
                match self { $($Name::$variant => $word.into(),)* }
            }
            fn to_json(&self) -> serde_json::Value {
                self.to_text().into()
            }
            fn is_in(&self, kind: &Kind) -> bool {
                matches!(kind, Kind::Choice(words) if words.contains(&self.to_text().as_str()))
            }
        }
    };
}

words! {
    /// What a kernel is divided by.
    Normalization {
        /// Nothing.
        None = "none",
        /// The mean of k(x, x) over the training rows.
        Trace = "trace",
        /// The largest k(x, x) of a row of length 1.
        Uniform = "uniform",
        /// sqrt(k(x, x) k(x', x')); 0 where one of them is 0.
        Cosine = "cosine",
    }
}

words! {
    /// The loss of a kernel learner.
    KernelLoss {
        /// Squared for numbers, hinge for classes.
        Auto = "auto",
        /// (score - target)^2 / 2.
        Squared = "squared",
        /// The hinge loss; Crammer and Singer's for more than two classes.
        Hinge = "hinge",
    }
}

words! {
    /// How KARMA minimises.
    KernelSolver {
        /// To the tolerance.
        Exact = "exact",
        /// One pass of algorithm 1.
        Online = "online",
    }
}

words! {
    /// Whether the adversary may take a part of an attribute.
    Deletions {
        /// It may: a relaxation, exact for equal values.
        Fractional = "fractional",
        /// It may not.
        Whole = "whole",
    }
}

words! {
    /// What happens to attributes that the adversary takes.
    Damage {
        /// They are 0.
        Deletion = "deletion",
        /// They are replaced by bounded noise of mean 0.
        Noise = "noise",
    }
}

words! {
    /// The loss of the labels' entries in matrix completion.
    LabelLoss {
        /// Logistic for two classes, squared otherwise.
        Auto = "auto",
        /// log(1 + e^(-uy)) of -1/+1.
        Logistic = "logistic",
        /// (u - y)^2 / 2.
        Squared = "squared",
    }
}

words! {
    /// What is subtracted from each attribute before it is used.
    Centre {
        /// Nothing.
        None = "none",
        /// The means that the layout declares.
        Given = "given",
        /// The mean of the reads of this attribute made so far.
        Running = "running",
    }
}

words! {
    /// Which iterates a model averages.
    Average {
        /// All of them, as the theorems do.
        All = "all",
        /// Those of the second half of the horizon (all of them before that is reached); without a
        /// horizon all of them, the t-th with weight t.
        Tail = "tail",
    }
}

words! {
    /// How the product's reads are drawn.
    Inner {
        /// In the proportion that the iterate's theorem uses: w_j^2, or |w_j|.
        Weights = "weights",
        /// In proportion to |w_j| sqrt(mu_j).
        Moments = "moments",
        /// Half the draws in each way.
        Mixed = "mixed",
    }
}

words! {
    /// Whether a learner learns from what happens to be observed.
    Passive {
        /// It chooses what it reads.
        No = "no",
        /// One observed attribute estimates the product.
        One = "one",
        /// All observed attributes do.
        All = "all",
    }
}

words! {
    /// How the attributes to read are chosen.
    Design {
        /// All alike.
        Uniform = "uniform",
        /// By what they add, after a first uniform part.
        Adaptive = "adaptive",
    }
}

words! {
    /// How scores of two classes become probabilities.
    Link {
        /// Not at all.
        Identity = "identity",
        /// By the normal distribution function.
        Probit = "probit",
        /// By the logistic function.
        Logistic = "logistic",
        /// By what fits better.
        Auto = "auto",
    }
}

words! {
    /// Whether attributes share one step.
    Steps {
        /// They do.
        Constant = "constant",
        /// Each has its own, divided by the root of the sum of its squared gradients.
        Adagrad = "adagrad",
    }
}

words! {
    /// How weights in the l1 ball move, when whole examples are seen.
    Variant {
        /// Normalised exponentiated gradient.
        Eg = "eg",
        /// Projected gradient steps.
        Ogd = "ogd",
        /// Regularised dual averaging.
        Rda = "rda",
    }
}

words! {
    /// The ball that holds the weights.
    Ball {
        /// The Euclidean one.
        L2 = "l2",
        /// That of the l1 norm.
        L1 = "l1",
    }
}

words! {
    /// How estimated second moments, which need not be positive semidefinite, are read.
    MomentRepair {
        /// As they are: a stationary point of a problem that need not be convex.
        Stationary = "stationary",
        /// As the nearest positive semidefinite matrix.
        Psd = "psd",
        /// With the size of their least eigenvalue added to the diagonal, if that is negative.
        DiagShift = "diag-shift",
    }
}

words! {
    /// Losses that are learned by estimates of powers.
    SmoothLoss {
        /// The absolute loss outside a tube, smoothed: regression.
        Absolute = "absolute",
        /// The hinge loss, smoothed: classes.
        Hinge = "hinge",
        /// e^-z: classes.
        Exponential = "exponential",
        /// log(1 + e^-z): classes, within the radius of its series.
        Logistic = "logistic",
    }
}

words! {
    /// What stands for a missing cell.
    Fill {
        /// 0, in scaled units.
        Zero = "zero",
        /// The mean of what was observed of the attribute.
        Mean = "mean",
    }
}

words! {
    /// How matrix completion learns the constant of the labels.
    CompletionVariant {
        /// MC-b: a constant b for every label.
        Bias = "b",
        /// MC-1: a row of ones.
        Ones = "1",
    }
}
