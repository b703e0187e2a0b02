//! Parses plain short numbers side by side, eight bytes at a time.
//!
//! A number is found and read without a branch for each digit (Lemire, "Number parsing at a gigabyte
//! per second", 2021). What it does not understand is left to the parser of single cells.

use super::cell::POWERS;

/// Powers of ten that scale the whole part of a number.
const SCALES: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Writes the plain numbers of a record from `at` on, quoted or not, to `out`, until it is full or a
/// cell is something else. Returns how many numbers there were, the place behind the separator or
/// line end after the last, and whether that ended the record, as the end of the bytes does.
///
/// The separator must not be part of a number. The results are those of `str::parse` (see
/// [`POWERS`]).
#[inline]
pub(super) fn fill(bytes: &[u8], mut at: usize, by: u8, out: &mut [f64]) -> (usize, usize, bool) {
    let zeros = u64::from_le_bytes([b'0', by, b'0', by, b'0', by, b'0', by]);
    let mut filled = 0;
    while filled < out.len() {
        let mut first = word(bytes, at);
        // Pixels, counts and indicators are mostly zeros.
        if first == zeros
            && let Some(four) = out.get_mut(filled..filled + 4)
        {
            four.fill(0.0);
            (filled, at) = (filled + 4, at + 8);
            continue;
        }
        if let Some((numbers, taken)) = two(first, by)
            && let Some(cells) = out.get_mut(filled..filled + 2)
        {
            cells.copy_from_slice(&numbers);
            (filled, at) = (filled + 2, at + taken);
            continue;
        }
        let quoted = first as u8 == b'"';
        let start = at + usize::from(quoted);
        if quoted {
            first = word(bytes, start);
        }
        let Some((number, mut end)) = number(bytes, start, first) else { break };
        if quoted {
            if bytes.get(end) != Some(&b'"') {
                break;
            }
            end += 1;
        }
        let next = bytes.get(end).copied().unwrap_or(b'\n');
        let ended = matches!(next, b'\n' | b'\r');
        if next != by && !ended {
            break;
        }
        out[filled] = number;
        (filled, at) = (filled + 1, end + 1);
        if ended {
            return (filled, at, true);
        }
    }
    (filled, at, false)
}

/// Reads a pair `index:value` of plain short numbers at the start of a text; returns both and its end.
#[inline]
pub(crate) fn pair(text: &[u8]) -> Option<(u64, f64, usize)> {
    let first = word(text, 0);
    let (index, count) = digits(first);
    if count == 0 || text.get(count) != Some(&b':') {
        return None;
    }
    let (value, end) = number(text, count + 1, word(text, count + 1))?;
    Some((index, value, end))
}

/// Reads two whole numbers, each with a separator behind it, of at most eight bytes together; returns
/// also the number of these bytes.
#[inline(always)]
fn two(word: u64, by: u8) -> Option<([f64; 2], usize)> {
    let others = others(word);
    let (first, second) =
        (others.trailing_zeros() & !7, (others & others.wrapping_sub(1)).trailing_zeros() & !7);
    let is_separator = |bits| word.unbounded_shr(bits) as u8 == by;
    if first == 0 || second < first + 16 || !is_separator(first) || !is_separator(second) {
        return None;
    }
    let number = |start: u32, end: u32| whole(word >> start, end - start) as i64 as f64;
    Some(([number(0, first), number(first + 8, second)], second as usize / 8 + 1))
}

/// Reads the number at `at`, where this word is: a sign, up to eight digits, and up to eight decimals.
/// Returns it and its end; the byte there may be anything.
#[inline(always)]
fn number(bytes: &[u8], at: usize, first: u64) -> Option<(f64, usize)> {
    let minus = u64::from(first as u8 == b'-');
    let shown = first >> (8 * minus);
    let (units, count) = digits(shown);
    if count == 0 {
        return None;
    }
    let mut end = at + (minus as usize) + count;
    let mut number = units as i64 as f64;
    if shown.unbounded_shr(8 * count as u32) as u8 == b'.' {
        let (part, places) = digits(word(bytes, end + 1));
        if places == 0 {
            return None;
        }
        // Seven digits and eight decimals at most, which a double holds exactly.
        number = (units * SCALES[places] + part) as i64 as f64 / POWERS[places];
        end += 1 + places;
    }
    Some((f64::from_bits(number.to_bits() ^ (minus << 63)), end))
}

/// Returns the number that the digits at the start of a word make, and how many there are.
#[inline(always)]
fn digits(word: u64) -> (u64, usize) {
    let bits = others(word).trailing_zeros() & !7;
    (whole(word, bits), bits as usize / 8)
}

const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// Returns the high bits of the bytes that are no digits; those behind a byte that is not ASCII may be
/// wrong.
#[inline(always)]
fn others(word: u64) -> u64 {
    // Digits become 0 to 9.
    let digits = word ^ ZEROS;
    (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
}

/// Returns the number that the first bits of a word, which are digits, make.
#[inline(always)]
fn whole(word: u64, bits: u32) -> u64 {
    // Zeros in front, then two, four and eight digits at a time.
    let one = (word ^ ZEROS).unbounded_shl(64 - bits);
    let two = one.wrapping_mul(10).wrapping_add(one >> 8) & 0x00ff_00ff_00ff_00ff;
    let four = two.wrapping_mul(100).wrapping_add(two >> 16) & 0x0000_ffff_0000_ffff;
    four.wrapping_mul(10_000).wrapping_add(four >> 32) & 0xffff_ffff
}

/// Returns the eight bytes from `at` on, the first in the lowest place; zeros behind the end.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    match (rest.first_chunk(), bytes.last_chunk()) {
        (Some(word), _) => u64::from_le_bytes(*word),
        (None, Some(last)) => u64::from_le_bytes(*last).unbounded_shr(64 - 8 * rest.len() as u32),
        (None, None) => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Splits at each separator and parses what is a plain short number.
    fn naive(record: &str, room: usize) -> (Vec<u64>, usize) {
        let (mut numbers, mut at) = (Vec::new(), 0);
        for whole in record.split(',').take(room) {
            let cell = whole.strip_prefix('"').and_then(|c| c.strip_suffix('"')).unwrap_or(whole);
            let unsigned = cell.strip_prefix('-').unwrap_or(cell);
            let (units, part) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
            let plain = |text: &str, most| {
                (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
            };
            let most = if unsigned.contains('.') { 7 } else { 8 } - (cell.len() - unsigned.len());
            if !plain(units, most) || !plain(part, 8) {
                break;
            }
            numbers.push(cell.parse::<f64>().unwrap().to_bits());
            at += whole.len() + 1;
        }
        (numbers, at)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn numbers_are_those_of_the_general_parser(
            record in "([0-9,]{0,9}|[0-9.,-]{0,30}|(0,){0,9}|(-?[0-9]{1,9}(\\.[0-9]{1,9})?,|\"[0-9]{1,3}\",){0,5}|[0-9,x\" /:\u{e9}]{0,9}){0,3}",
            behind in "(\n|\r[0-9.,-]{0,20})?",
            room in 0_usize..12,
        ) {
            let bytes = format!("{record}{behind}");
            let mut out = vec![f64::NAN; room];
            let (filled, at, ended) = fill(bytes.as_bytes(), 0, b',', &mut out);
            let found: Vec<u64> = out[..filled].iter().map(|number| number.to_bits()).collect();
            prop_assert_eq!((found, at), naive(&record, room));
            prop_assert_eq!(ended, at == record.len() + 1);
        }
    }
}
