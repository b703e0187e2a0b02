//! Parses plain short numbers side by side, eight bytes at a time.
//!
//! A number is found and read without a branch for each digit (Lemire, "Number parsing at a gigabyte
//! per second", 2021). What it does not understand is left to the parser of single cells.

/// Powers of ten that a double holds exactly.
pub(super) const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

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
        let first = word(bytes, at);
        // Pixels, counts and indicators are mostly zeros.
        if first == zeros
            && let Some(four) = out.get_mut(filled..filled + 4)
        {
            four.fill(0.0);
            (filled, at) = (filled + 4, at + 8);
            continue;
        }
        let marks = others(first);
        let bits = bits_before(marks);
        if bits > 0 && byte(first, bits) == by {
            out[filled] = whole(first, bits) as i64 as f64;
            let start = at;
            (filled, at) = (filled + 1, start + bits as usize / 8 + 1);
            // A second whole number in the same bytes.
            let next = bits_before(marks & (marks - 1));
            if next > bits + 8
                && byte(first, next) == by
                && let Some(cell) = out.get_mut(filled)
            {
                *cell = whole(first >> (bits + 8), next - bits - 8) as i64 as f64;
                (filled, at) = (filled + 1, start + next as usize / 8 + 1);
            }
            continue;
        }
        let parsed = match first as u8 {
            b'"' => quoted(bytes, at),
            _ => number(bytes, at, first, marks),
        };
        let Some((number, end, next)) = parsed else { break };
        if next == by {
            out[filled] = number;
            (filled, at) = (filled + 1, end + 1);
        } else if matches!(bytes.get(end), None | Some(b'\n' | b'\r')) {
            out[filled] = number;
            return (filled + 1, end + 1, true);
        } else {
            break;
        }
    }
    (filled, at, false)
}

/// Reads a pair `index:value` of plain short numbers at the start of a text; returns both and its end.
#[inline]
pub(crate) fn pair(text: &[u8]) -> Option<(u64, f64, usize)> {
    let first = word(text, 0);
    let bits = bits_before(others(first));
    let start = bits as usize / 8 + 1;
    if bits == 0 || text.get(start - 1) != Some(&b':') {
        return None;
    }
    let second = word(text, start);
    let (value, end, _) = number(text, start, second, others(second))?;
    Some((whole(first, bits), value, end))
}

/// Reads a number in quotes; returns also its end and the byte there, 0 behind the last.
#[inline]
fn quoted(bytes: &[u8], at: usize) -> Option<(f64, usize, u8)> {
    let first = word(bytes, at + 1);
    let (number, end, next) = number(bytes, at + 1, first, others(first))?;
    (next == b'"').then(|| (number, end + 1, bytes.get(end + 1).copied().unwrap_or(0)))
}

/// Reads the number at `at`, where this word is: a sign, up to eight digits, and up to eight decimals.
/// Returns also its end and the byte there, 0 behind the last.
#[inline(always)]
fn number(bytes: &[u8], at: usize, first: u64, marks: u64) -> Option<(f64, usize, u8)> {
    let minus = u64::from(first as u8 == b'-');
    let (shown, marks) = (first >> (8 * minus), marks >> (8 * minus) | minus << 63);
    let bits = bits_before(marks);
    if bits == 0 {
        return None;
    }
    let mut end = at + minus as usize + bits as usize / 8;
    let mut next = byte(shown, bits);
    let number = if next == b'.' {
        let stop = bits_before(marks & (marks - 1));
        next = byte(shown, stop);
        // Seven digits and eight decimals at most, which a double holds exactly.
        let (digits, places) = if next != 0 {
            let before = (1 << bits) - 1;
            let joined = shown & before | shown >> 8 & !before;
            (whole(joined, stop - 8), (stop - bits) as usize / 8 - 1)
        } else {
            let part = word(bytes, end + 1);
            let length = bits_before(others(part));
            next = byte(part, length);
            let places = length as usize / 8;
            (whole(shown, bits) * SCALES[places] + whole(part, length), places)
        };
        if places == 0 {
            return None;
        }
        end += 1 + places;
        digits as i64 as f64 / POWERS[places]
    } else {
        whole(shown, bits) as i64 as f64
    };
    // The word may end with the digits.
    if next == 0 {
        next = bytes.get(end).copied().unwrap_or(0);
    }
    Some((f64::from_bits(number.to_bits() ^ (minus << 63)), end, next))
}

const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// Marks the high bits of the bytes that are no digits; behind a byte that is not ASCII, marks may be
/// wrong.
#[inline(always)]
fn others(word: u64) -> u64 {
    // Digits become 0 to 9.
    let digits = word ^ ZEROS;
    (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
}

/// Returns the number of bits before the first marked byte.
#[inline(always)]
fn bits_before(marks: u64) -> u32 {
    marks.trailing_zeros() & !7
}

/// Returns the byte behind so many bits, 0 behind the last.
#[inline(always)]
fn byte(word: u64, bits: u32) -> u8 {
    word.unbounded_shr(bits) as u8
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
            let bits: Vec<u64> = out[..filled].iter().map(|number| number.to_bits()).collect();
            prop_assert_eq!((bits, at), naive(&record, room));
            prop_assert_eq!(ended, at == record.len() + 1);
        }
    }
}
