//! Tells the origin of every kind of error.

use super::{ErrorClass, ErrorKind};

impl ErrorKind {
    /// Returns the origin of an error of this kind.
    pub(super) fn class(&self) -> ErrorClass {
        use ErrorKind::*;
        match self {
            Request(_)
            | OutOfRange { .. }
            | NotAValue { .. }
            | BudgetSpent { .. }
            | CostSpent { .. }
            | WrongQuery { .. }
            | NumberUsed { .. }
            | Needs { .. }
            | WrongWeight { .. }
            | WrongDeclaration { .. }
            | UnknownColumn { .. }
            | WrongLength { .. }
            | WrongLearner { .. }
            | NotOpen { .. }
            | NotLinear
            | TooMuchMemory { .. }
            | LittleAddressSpace { .. }
            | WrongAnswer { .. } => ErrorClass::Parameter,
            Table(_)
            | WrongCell { .. }
            | TooFewRows { .. }
            | NoAttributes
            | NotFinite { .. }
            | TooLarge { .. }
            | MissingCell { .. }
            | WrongTarget { .. }
            | OtherColumns { .. }
            | KindDiffers { .. }
            | OtherPlan { .. }
            | BadFile { .. } => ErrorClass::Data,
            InPart { problem, .. } => problem.class(),
            Diverged { .. } | Numerical { .. } => ErrorClass::Numerical,
            Interrupted { .. } => ErrorClass::Interrupted,
        }
    }
}
