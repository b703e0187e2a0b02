//! Defines the enums of words that parameters choose from.

use super::{Kind, ParameterValue};
use serde::{Deserialize, Serialize};

/// Defines an enum of words and its [`ParameterValue`].
macro_rules! words {
    ($(#[$meta:meta])* $Name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $Name { $($(#[$doc])* #[serde(rename = $word)] $variant,)* }

        impl ParameterValue for $Name {
            fn from_text(text: &str) -> Option<Self> {
                match text { $($word => Some($Name::$variant),)* _ => None }
            }
            fn to_text(&self) -> String {
                match self { $($Name::$variant => $word.into(),)* }
            }
            fn is_in(&self, kind: &Kind) -> bool {
                matches!(kind, Kind::Choice(words) if words.contains(&self.to_text().as_str()))
            }
        }
    };
}

words! {
    /// Divisor of a kernel.
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
    /// Method by which KARMA minimises.
    KernelSolver {
        /// To the tolerance.
        Exact = "exact",
        /// One pass of algorithm 1.
        Online = "online",
    }
}

words! {
    /// Parts of an attribute that the adversary may delete.
    Deletions {
        /// Any part: a relaxation, exact for equal costs.
        Fractional = "fractional",
        /// The whole attribute only.
        Whole = "whole",
    }
}

words! {
    /// Effect on attributes that the adversary attacks.
    Damage {
        /// They become 0.
        Deletion = "deletion",
        /// They are replaced by bounded noise of mean 0.
        Noise = "noise",
    }
}

words! {
    /// The loss of the label entries in matrix completion.
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
    /// Centre subtracted from each attribute.
    Centre {
        /// Nothing.
        None = "none",
        /// The means that the layout declares.
        Given = "given",
        /// The mean of the reads of this attribute so far.
        Running = "running",
    }
}

words! {
    /// Iterates that a model averages.
    Average {
        /// All of them, as the theorems do.
        All = "all",
        /// Those of the second half of the horizon (all of them before it is reached); without a
        /// horizon all of them, the t-th with weight t.
        Tail = "tail",
    }
}

words! {
    /// Distribution of the reads for the product.
    Inner {
        /// Proportional to w_j^2 or |w_j|, as in the iterate's theorem.
        Weights = "weights",
        /// Proportional to |w_j| sqrt(mu_j).
        Moments = "moments",
        /// Half the draws each way.
        Mixed = "mixed",
    }
}

words! {
    /// Use of the attributes that happen to be observed.
    Passive {
        /// None: the learner chooses its reads.
        No = "no",
        /// One observed attribute estimates the product.
        One = "one",
        /// All observed attributes estimate it.
        All = "all",
    }
}

words! {
    /// Choice of the attributes to read.
    Design {
        /// Uniform.
        Uniform = "uniform",
        /// Proportional to their contribution, after a first uniform part.
        Adaptive = "adaptive",
    }
}

words! {
    /// Functions of the attributes.
    Shape {
        /// Each attribute as it is.
        Linear = "linear",
        /// With one curve beside each attribute whose single reads show one.
        Additive = "additive",
        /// Both, compared by held-out reads.
        Auto = "auto",
    }
}

words! {
    /// Map from the score of a class to a probability.
    Link {
        /// None.
        Identity = "identity",
        /// The normal distribution function.
        Probit = "probit",
        /// The logistic function.
        Logistic = "logistic",
        /// The function that fits better.
        Auto = "auto",
    }
}

words! {
    /// Step sizes of the attributes.
    Steps {
        /// One for all.
        Constant = "constant",
        /// One each, divided by the root of the sum of its squared gradients.
        Adagrad = "adagrad",
    }
}

words! {
    /// The ball that holds the weights.
    Ball {
        /// Euclidean.
        L2 = "l2",
        /// l1 norm.
        L1 = "l1",
    }
}

words! {
    /// Repair of estimated second moments, which may not be positive semidefinite.
    MomentRepair {
        /// None: a stationary point of a possibly non-convex problem is sought.
        Stationary = "stationary",
        /// The nearest positive semidefinite matrix.
        Psd = "psd",
        /// The size of the least eigenvalue is added to the diagonal if it is negative.
        DiagShift = "diag-shift",
    }
}

words! {
    /// Losses whose gradients are estimated through estimates of powers.
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
    /// Value imputed for a missing cell.
    Fill {
        /// 0, in scaled units.
        Zero = "zero",
        /// The mean of the observed values of the attribute.
        Mean = "mean",
    }
}

words! {
    /// Intercept of the labels in matrix completion.
    CompletionVariant {
        /// MC-b: a constant b for every label.
        Bias = "b",
        /// MC-1: a row of ones.
        Ones = "1",
    }
}
