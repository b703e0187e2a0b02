//! Reads dates written as text: days since 1970-01-01, with a fraction for the time of day.

use chrono::{NaiveDate, NaiveTime, Timelike};

/// Forms in which dates may be written, in the notation of `strftime`. A time of day may follow.
pub const DATE_FORMS: [&str; 12] = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%d-%m-%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d %B %Y",
    "%d-%B-%Y",
    "%B %d, %Y",
];

/// Returns the forms in which every text is a date; none if there is no text.
pub fn date_forms<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<&'static str> {
    let mut texts = texts.into_iter();
    let Some(first) = texts.next() else { return Vec::new() };
    let mut forms: Vec<_> =
        DATE_FORMS.into_iter().filter(|form| days_since_1970(first, form).is_some()).collect();
    for text in texts {
        if forms.is_empty() {
            break;
        }
        forms.retain(|form| days_since_1970(text, form).is_some());
    }
    forms
}

/// Returns the days from 1970-01-01 to a date in this form, with a fraction for its time of day.
/// A zone other than UTC is subtracted. `None` if the text is no such date of the years 1000 to
/// 9999.
pub fn days_since_1970(text: &str, form: &str) -> Option<f64> {
    // Dates have digits; this spares other texts the parser.
    if !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let (date, rest) = NaiveDate::parse_and_remainder(text.trim(), form).ok()?;
    let days = date.signed_duration_since(NaiveDate::default()).num_days() as f64;
    let in_range = ("1000-01-01".parse().ok()?..="9999-12-31".parse().ok()?).contains(&date);
    Some(days + share_of_day(rest)?).filter(|_| in_range)
}

/// Returns the time of day as a share of the day, less its zone; 0 for no time.
fn share_of_day(text: &str) -> Option<f64> {
    let Some(time) = text.strip_prefix(['T', ' ']) else {
        return text.is_empty().then_some(0.0);
    };
    let parse = |form| NaiveTime::parse_and_remainder(time, form).ok();
    let (time, zone) = parse("%H:%M:%S%.f").or_else(|| parse("%H:%M"))?;
    let seconds = f64::from(time.num_seconds_from_midnight()) + f64::from(time.nanosecond()) / 1e9;
    Some((seconds - seconds_of_zone(zone.trim_start())?) / 86_400.0)
}

/// Returns the seconds by which a zone such as `+02:00` is ahead of UTC.
fn seconds_of_zone(zone: &str) -> Option<f64> {
    if matches!(zone, "" | "Z" | "UTC") {
        return Some(0.0);
    }
    let sign = if zone.starts_with('-') { -1.0 } else { 1.0 };
    let digits = zone.strip_prefix(['+', '-'])?.replace(':', "");
    if !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let (hours, minutes) = (digits.get(..2)?, digits.get(2..)?);
    let minutes: u32 = if minutes.is_empty() { 0 } else { minutes.parse().ok()? };
    let hours: u32 = hours.parse().ok()?;
    (hours < 24 && minutes < 60).then_some(sign * f64::from(3600 * hours + 60 * minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_forms_are_days_since_1970() {
        let cases = [
            ("1970-01-02", "%Y-%m-%d", 1.0),
            ("1969-12-31", "%Y-%m-%d", -1.0),
            ("2024-02-29T12:00", "%Y-%m-%d", 19_782.5),
            ("2024-02-29 06:00:00.000Z", "%Y-%m-%d", 19_782.25),
            ("2024-02-29 12:00:00+12:00", "%Y-%m-%d", 19_782.0),
            ("29.02.2024", "%d.%m.%Y", 19_782.0),
            ("29/2/24", "%d/%m/%y", 19_782.0),
            ("02/29/2024", "%m/%d/%Y", 19_782.0),
            ("29 Feb 2024", "%d %B %Y", 19_782.0),
            ("February 29, 2024", "%B %d, %Y", 19_782.0),
        ];
        for (text, form, days) in cases {
            assert_eq!(days_since_1970(text, form), Some(days), "{text}");
            assert!(date_forms([text]).contains(&form), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_dates_and_a_form_holds_for_all() {
        for text in ["", "red", "2024", "2024-02-30", "1-2-3", "2024-01-01x", "12:30", "v1.2.3"] {
            assert!(date_forms([text]).is_empty(), "{text}");
        }
        assert_eq!(date_forms(["01/02/2024", "13/02/2024"]), ["%d/%m/%Y"]);
        assert_eq!(date_forms(["01/02/2024", "02/03/2024"]), ["%d/%m/%Y", "%m/%d/%Y"]);
        assert!(date_forms(["2024-01-01", "red"]).is_empty());
        assert!(date_forms([]).is_empty());
    }
}
