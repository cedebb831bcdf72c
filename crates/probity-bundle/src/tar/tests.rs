use proptest::prelude::*;

use super::{TarEntry, read, write};

fn sample() -> Vec<u8> {
    write(&[TarEntry { name: "a.json", bytes: b"{}" }, TarEntry { name: "blobs/ff", bytes: &[7; 600] }])
        .unwrap()
}

#[test]
fn what_is_written_is_read_and_the_same_every_time() {
    let archive = sample();
    assert_eq!(archive, sample());
    assert_eq!(archive.len(), 512 * (2 + 3 + 2));
    let entries = read(&archive).unwrap();
    assert_eq!(entries.iter().map(|entry| entry.name).collect::<Vec<_>>(), ["a.json", "blobs/ff"]);
    assert_eq!(entries[1].bytes, [7; 600]);
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let long = "a".repeat(100);
    for name in ["", "../a", "a/../b", "/a", "a//b", "a/", ".hidden", "a b", "a\\b", "ä", "a\0b", &long] {
        assert!(write(&[TarEntry { name, bytes: b"" }]).is_err(), "{name:?}");
    }
    let double = write(&[TarEntry { name: "a", bytes: b"" }, TarEntry { name: "a", bytes: b"" }]).unwrap();
    assert_eq!(read(&double).unwrap_err().to_string(), "`a` is there twice");
}

#[test]
fn every_cut_is_refused() {
    let archive = sample();
    for length in 0..archive.len() {
        assert!(read(&archive[..length]).is_err(), "cut at {length}");
    }
    let mut longer = archive;
    longer.push(0);
    assert!(read(&longer).is_err());
}

/// A flip is refused, or it lies in the content of an entry, which the manifest's hashes see.
#[test]
fn every_flipped_bit_outside_of_contents_is_refused() {
    let archive = sample();
    for place in 0..archive.len() * 8 {
        let mut flipped = archive.clone();
        flipped[place / 8] ^= 1 << (place % 8);
        if let Ok(entries) = read(&flipped) {
            let byte = place / 8;
            assert!((512..514).contains(&byte) || (1536..2136).contains(&byte), "bit {place}");
            assert_eq!(entries.len(), 2);
        }
    }
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..2048)) {
        prop_assert!(read(&bytes).is_err() || bytes.iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_size_that_lies_is_refused(size in "[0-7]{11}") {
        let mut archive = sample();
        archive[124..135].copy_from_slice(size.as_bytes());
        prop_assume!(size != "00000000002");
        prop_assert!(read(&archive).is_err());
    }
}
