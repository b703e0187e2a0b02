//! Tells the origin of every kind of error.

use super::{ErrorClass, ErrorKind};

impl ErrorKind {
    /// Returns the origin of an error of this kind.
    pub(super) fn class(&self) -> ErrorClass {
        use ErrorKind::*;
        match self {
            OutOfRange { .. }
            | NotAValue { .. }
            | UnknownParameter { .. }
            | UnknownLearner { .. }
            | BudgetTooSmall { .. }
            | BudgetTooLarge { .. }
            | BudgetSpent { .. }
            | CostSpent { .. }
            | SeesWhole { .. }
            | WrongQuery { .. }
            | NumberUsed { .. }
            | Needs { .. }
            | TakesNoWeights { .. }
            | TakesNoPilot { .. }
            | WrongWeight { .. }
            | WrongDeclaration { .. }
            | Chooses { .. }
            | TakesOnlyAnswers { .. }
            | WithoutReads { .. }
            | OutsideSeries { .. }
            | UnknownColumn { .. }
            | WrongLength { .. }
            | WrongLearner { .. }
            | NotOpen { .. }
            | NotLinear
            | HasCurves
            | NotAdditive
            | NoIntervals { .. }
            | TooMuchMemory { .. }
            | LittleAddressSpace { .. }
            | NeedsRows { .. }
            | NeedsUnits { .. }
            | WrongAnswer { .. } => ErrorClass::Parameter,
            TooManyMoments { .. }
            | DuplicateColumn { .. }
            | TooFewRows { .. }
            | NoAttributes
            | NothingObserved { .. }
            | NotFinite { .. }
            | TooLarge { .. }
            | NotADate { .. }
            | MissingCell { .. }
            | MomentContradicted { .. }
            | MissingTarget { .. }
            | ConstantTarget { .. }
            | WrongTarget { .. }
            | WrongKind { .. }
            | PartTwice
            | PartChanged { .. }
            | EmptyPart
            | OtherColumns { .. }
            | KindDiffers { .. }
            | TooManyCategories { .. }
            | HolesInColumn { .. }
            | OtherPlan { .. }
            | TooManyAbsent { .. }
            | BadFile { .. } => ErrorClass::Data,
            InPart { problem, .. } => problem.class(),
            Diverged { .. } | Numerical { .. } => ErrorClass::Numerical,
            Interrupted { .. } => ErrorClass::Interrupted,
        }
    }
}
