//! Lists the papers whose experiments are run again: who wrote them, and what they claim.

/// A paper with a page of its own.
pub(crate) struct Paper {
    /// As REFERENCES.md calls it.
    pub(crate) letter: char,
    /// The file of its page, without the ending.
    pub(crate) file: &'static str,
    /// Authors and year.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) venue: &'static str,
    pub(crate) claim: &'static str,
}

/// All of them, in the order of the index.
pub(crate) const PAPERS: &[Paper] = &[
    Paper {
        letter: 'A',
        file: "cesa-bianchi-2010",
        name: "Cesa-Bianchi, Shalev-Shwartz and Shamir 2010",
        title: "Efficient Learning with Partially Observed Attributes",
        venue: "ICML 2010",
        claim: "A linear predictor can be learned when only a few attributes of each training example may be read. The paper bounds how \
                many more examples make up for the attributes that are not read, and reports a high accuracy on digits from four \
                pixels of each image.",
    },
    Paper {
        letter: 'B',
        file: "hazan-koren-2012",
        name: "Hazan and Koren 2012",
        title: "Linear Regression with Limited Observation",
        venue: "ICML 2012",
        claim: "Ridge and lasso regression with few attributes per example need the same total number of attributes as with all of \
                them, up to constants. Support vector regression needs exponentially fewer than before. Experiments show errors below \
                those of the algorithms of 2010.",
    },
    Paper {
        letter: 'C',
        file: "kukliansky-shamir-2015",
        name: "Kukliansky and Shamir 2015",
        title: "Attribute Efficient Linear Regression with Distribution-Dependent Sampling",
        venue: "ICML 2015",
        claim: "Drawing attributes by their second moments instead of uniformly lowers the excess error, with d attributes and k + 1 reads by a \
                factor of up to O(sqrt(d/k)). Where the moments are not known, a first phase that estimates them gains about as much, given enough \
                examples. The text of its experiments is lost to us, so nothing here reproduces them.",
    },
    Paper {
        letter: 'D',
        file: "hazan-livni-mansour-2015",
        name: "Hazan, Livni and Mansour 2015",
        title: "Classification with Low Rank and Missing Data",
        venue: "ICML 2015",
        claim: "Where complete rows lie in a subspace of low rank, a kernel on rows with missing values classifies as well as the best \
                linear classifier together with that subspace, and nothing needs to be imputed.",
    },
    Paper {
        letter: 'E',
        file: "dekel-shamir-2008",
        name: "Dekel and Shamir 2008",
        title: "Learning to Classify with Missing and Corrupted Features",
        venue: "ICML 2008",
        claim: "A classifier can be trained for attributes that will be missing or corrupted only when it predicts: by a linear program, \
                with a bound on the risk, or by a modified Perceptron. Both err far less under such an attack than a support vector \
                machine.",
    },
];
