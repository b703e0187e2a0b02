//! Reads the numbers of the command line, and says what they must be.

/// A whole number in a range. A budget's range is the learner's to say.
pub(crate) fn whole(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    let range = if most == u64::MAX {
        "a whole number, 1 or more".to_owned()
    } else {
        format!("a whole number from {least} to {most}")
    };
    move |text| {
        let number = text.trim().parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("it must be {range}"))
    }
}

/// A share: neither nothing nor everything.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number| *number > 0.0 && *number < 1.0);
    number.ok_or_else(|| "it must be a number above 0 and below 1, such as 0.1".to_owned())
}

/// A finite number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let number =
        text.trim().parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "it must be a finite number above 0".to_owned())
}
