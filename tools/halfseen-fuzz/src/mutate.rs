//! Damages bytes, lines and JSON values.

mod json;

pub(crate) use json::damage_json;

use fastrand::Rng;

/// Cells and words that readers stumble over.
const ODD: [&str; 40] = [
    "",
    "NA",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e309",
    "5e-324",
    "-0",
    "+1",
    ".",
    "-",
    "?",
    "\"",
    "\"\"",
    "'",
    ",",
    ";",
    "\t",
    "|",
    "0x1F",
    "1_000",
    "1,5",
    "1.234.567",
    "2024-02-30",
    "2024-02-29T12:00:00Z",
    "1e",
    "--1",
    "é",
    "\u{0}",
    "\u{feff}",
    "\r",
    "\n",
    "9007199254740993",
    "18446744073709551616",
    "true",
    "null",
    "x",
];

/// Returns damaged bytes: often one change, seldom up to nine.
pub(crate) fn damage(bytes: &[u8], others: &[&[u8]], random: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.u8(..).trailing_ones() {
        change(&mut bytes, others, random);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, others: &[&[u8]], random: &mut Rng) {
    let at = |random: &mut Rng, length: usize| random.usize(..=length);
    match random.u8(..13) {
        0 | 1 if !bytes.is_empty() => {
            let place = random.usize(..bytes.len());
            bytes[place] ^= 1 << random.u8(..8);
        }
        2 if !bytes.is_empty() => {
            let place = random.usize(..bytes.len());
            bytes[place] = [0, 0xff, b',', b'"', b'\n', random.u8(..)][random.usize(..6)];
        }
        3 => bytes.truncate(at(random, bytes.len())),
        4 => {
            // a stretch is cut out, or is there twice
            let (from, to) = stretch(bytes.len(), random);
            if random.bool() {
                bytes.drain(from..to);
            } else {
                let twice = bytes[from..to].to_vec();
                bytes.splice(to..to, twice);
            }
        }
        5 if !others.is_empty() => {
            let other = others[random.usize(..others.len())];
            let (from, to) = stretch(other.len(), random);
            let place = at(random, bytes.len());
            bytes.splice(place..place, other[from..to].iter().copied());
        }
        6 => {
            let place = at(random, bytes.len());
            bytes.splice(place..place, ODD[random.usize(..ODD.len())].bytes());
        }
        // a digit becomes another
        7..=9 => {
            let digits: Vec<usize> =
                (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
            if let Some(&place) = digits.get(random.usize(..digits.len().max(1))) {
                bytes[place] = b'0' + random.u8(..10);
            }
        }
        // a word becomes another
        _ => {
            let words = words(bytes);
            if let Some(word) = words.get(random.usize(..words.len().max(1))) {
                let new = ODD[random.usize(..ODD.len())].bytes();
                bytes.splice(word.clone(), new);
            }
        }
    }
}

/// Returns a stretch of at most 64 bytes.
fn stretch(length: usize, random: &mut Rng) -> (usize, usize) {
    let from = random.usize(..=length);
    (from, (from + random.usize(..=64)).min(length))
}

/// Returns the places of cells and words.
fn words(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let ends = |b: &u8| b" ,;\t\r\n:{}[]|".contains(b);
    let mut words = Vec::new();
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate().chain([(bytes.len(), &b'\n')]) {
        if ends(byte) {
            words.push(from..at);
            from = at + 1;
        }
    }
    words
}
