//! Bytes that changed on the way: nothing is taken, nothing panics.

use probity_bundle::{
    Bundle, BundleError, PromiseStatus,
    tar::{self, TarEntry},
};
use proptest::prelude::*;

use crate::fixtures::{deep_research, findings, key, on_the_web};

#[test]
fn every_flipped_bit_is_refused() {
    let bytes = deep_research().bundle(&key());
    let mut flipped = bytes.clone();
    for place in 0..bytes.len() * 8 {
        flipped[place / 8] ^= 1 << (place % 8);
        assert!(Bundle::read(&flipped).is_err(), "bit {place}");
        flipped[place / 8] ^= 1 << (place % 8);
    }
    assert!(Bundle::read(&flipped).is_ok());
}

#[test]
fn every_cut_is_refused() {
    let bytes = deep_research().bundle(&key());
    for length in 0..bytes.len() {
        assert!(Bundle::read(&bytes[..length]).is_err(), "cut at {length}");
    }
}

/// Another order, a part less, a part more, two parts swapped: the manifest lists what is there, in this order.
#[test]
fn entries_cannot_be_moved_taken_or_added() {
    let bytes = on_the_web().bundle(&key());
    let entries = tar::read(&bytes).unwrap();
    let refused = |entries: &[TarEntry<'_>]| {
        Bundle::read(&tar::write(entries).unwrap()).map(|_| ()).unwrap_err().to_string()
    };
    for place in 0..entries.len() {
        let mut fewer = entries.clone();
        fewer.remove(place);
        refused(&fewer);
        let mut swapped = entries.clone();
        swapped.swap(place, (place + 1) % entries.len());
        refused(&swapped);
        let mut exchanged = entries.clone();
        exchanged[place].bytes = entries[(place + 1) % entries.len()].bytes;
        refused(&exchanged);
    }
    let more = [entries.as_slice(), &[TarEntry { name: "zz", bytes: b"" }]].concat();
    assert_eq!(refused(&more), "`zz` is not what the manifest lists there");
    let mut edited = entries.clone();
    edited[3].bytes = b"";
    assert_eq!(
        refused(&edited),
        "`journal.jsonl` does not have the bytes that the manifest names: it was changed"
    );
}

#[test]
fn another_format_and_a_newer_one_are_told_apart() {
    let bytes = on_the_web().bundle(&key());
    let entries = tar::read(&bytes).unwrap();
    let with = |from: &str, to: &str| {
        let manifest = std::str::from_utf8(entries[0].bytes).unwrap().replacen(from, to, 1);
        let mut edited = entries.clone();
        edited[0].bytes = manifest.as_bytes();
        Bundle::read(&tar::write(&edited).unwrap()).map(|_| ()).unwrap_err()
    };
    assert!(matches!(with("probity-bundle", "other"), BundleError::Format(_)));
    assert!(matches!(with("\"version\": 1", "\"version\": 2"), BundleError::Newer { found: 2, known: 1 }));
    assert!(matches!(with("  \"format\"", " \"format\""), BundleError::NotCanonical(_)));
    assert!(matches!(with("0.0.test", "0.0.tset"), BundleError::Signature));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A journal that a forger wrote and signed: the rules may refuse it, they may not fall over it.
    #[test]
    fn a_forged_journal_is_judged_and_nothing_panics(
        place in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        number in any::<u32>(),
        change in 0..5_u8,
    ) {
        let mut research = on_the_web();
        let (place, other) = (place.index(research.journal.len()), other.index(research.journal.len()));
        match change {
            0 => { research.journal.remove(place); }
            1 => research.journal.swap(place, other),
            2 => research.journal[place].event = probity_research::Event::CreateIntended { attempt: number },
            3 => research.journal[place].attended_ms = u64::MAX - u64::from(number),
            _ => research.journal[place].at = probity_research::time::Moment(i64::MIN + i64::from(number)),
        }
        if research.journal.is_empty() {
            return Ok(());
        }
        let bytes = research.bundle(&key());
        let found = findings(&bytes);
        // Another event in the place of one that changed no state, or another clock, is not seen without a pinned key.
        let changed = change > 1 || (change == 1 && place == other) || found.iter().any(|finding| finding.kept == PromiseStatus::No);
        prop_assert!(changed, "change {} at {} and {}", change, place, other);
    }

    #[test]
    fn whatever_is_in_the_journal_it_is_read_or_refused(text in "(\\{\"sequence\":[0-9]{1,25},.{0,80}\n){0,4}") {
        prop_assert!(probity_bundle::journal::decode(text.as_bytes()).is_err() || text.is_empty());
    }
}
