//! Signatures that the tool minisign made, and what becomes of them when somebody changes a byte.

use semver::Version;

use super::{ReleaseChoice, ReleaseError, SignedRelease};

const KEY: &str = "RWQhk1N5e44DrQ84cWPVIEAZoGeWfMgFy5CYAZcK2i9eaAwn3HeS/aug";
const OTHER_KEY: &str = "RWR5tXnFPIWlcS1DaDbRO+VIlBxK7VbqafzCAILHvIy5jqBcVFwSPoMo";
const SUMS: &str = "\
c8d18c54d108f4f0237eb4e1c4473cfd3dbd267afe97c2d967003bda0f546e08  probity-0.2.0-x.tar.gz
d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa  THIRD-PARTY.md
";
const SIGNATURE: &str = "\
untrusted comment: signature from minisign secret key
RUQhk1N5e44DrWmODutyQbd44Bxn5iBHeezeB3Lp+VVQPp57XW94SZMMMAGTba9fpAutxmIiaNr5DO7f2JSpWPlR//TVIx0GuQg=
trusted comment: probity 0.2.0
YPT5c1cZTwlK0y2SHsnSMssI9KxsJ/btHiqNslsz6lqiXBYcaAzWdYliJ+dfW2OiA70o2YOIUfcTupE6kBBrCw==
";
/// The same sums, signed under a comment that names no version.
const WITHOUT_VERSION: &str = "\
untrusted comment: signature from minisign secret key
RUQhk1N5e44DrWmODutyQbd44Bxn5iBHeezeB3Lp+VVQPp57XW94SZMMMAGTba9fpAutxmIiaNr5DO7f2JSpWPlR//TVIx0GuQg=
trusted comment: something else
kH9AiFnTMwoOHtdLXocwukBmEj3ngUSWvAd9UmxL+9zSDR8/ILGGfqgnWcRLPkSTSR3RqEfc6dHhkQunMcuGAQ==
";

fn version(text: &str) -> Version {
    Version::parse(text).unwrap()
}

fn release() -> SignedRelease {
    SignedRelease::verified(KEY, SUMS.as_bytes(), SIGNATURE).unwrap()
}

#[track_caller]
fn check_refused(key: &str, sums: &str, signature: &str, why: ReleaseError) {
    assert_eq!(SignedRelease::verified(key, sums.as_bytes(), signature), Err(why));
}

#[test]
fn a_signed_list_names_its_version_and_its_files() {
    assert_eq!(release().version, version("0.2.0"));
    assert_eq!(release().check("probity-0.2.0-x.tar.gz", b"the archive"), Ok(()));
    let as_file = format!("untrusted comment: minisign public key\n{KEY}\n");
    assert!(SignedRelease::verified(&as_file, SUMS.as_bytes(), SIGNATURE).is_ok());
}

#[test]
fn a_changed_list_another_key_and_a_changed_version_are_refused() {
    check_refused(KEY, &SUMS.replace("c8d1", "c8d2"), SIGNATURE, ReleaseError::NotSigned);
    check_refused(KEY, SUMS.lines().next().unwrap(), SIGNATURE, ReleaseError::NotSigned);
    check_refused(OTHER_KEY, SUMS, SIGNATURE, ReleaseError::NotSigned);
    check_refused(KEY, SUMS, &SIGNATURE.replace("0.2.0", "9.9.9"), ReleaseError::NotSigned);
    check_refused(KEY, SUMS, WITHOUT_VERSION, ReleaseError::NoVersion);
    check_refused(KEY, SUMS, "", ReleaseError::SignatureUnreadable);
    check_refused(KEY, SUMS, SIGNATURE.rsplit_once("\nYPT").unwrap().0, ReleaseError::SignatureUnreadable);
    check_refused("a key", SUMS, SIGNATURE, ReleaseError::KeyUnreadable);
}

#[test]
fn a_file_that_was_swapped_cut_short_or_never_released_is_refused() {
    let refused = |name, bytes: &[u8]| release().check(name, bytes).unwrap_err().to_string();
    for bytes in [&b"another archive"[..], b"the archiv", b""] {
        assert!(refused("probity-0.2.0-x.tar.gz", bytes).contains("is not the file that was released"));
    }
    assert_eq!(
        refused("probity-0.2.0-y.tar.gz", b"the archive"),
        "the release has no file probity-0.2.0-y.tar.gz"
    );
}

#[test]
fn an_older_release_is_taken_only_by_its_name() {
    let choice =
        |installed, wanted: Option<&str>| release().choice(&version(installed), wanted.map(version).as_ref());
    assert_eq!(choice("0.1.9", None), Ok(ReleaseChoice::Install));
    assert_eq!(choice("0.2.0", None), Ok(ReleaseChoice::Installed));
    assert_eq!(choice("0.3.0", Some("0.2.0")), Ok(ReleaseChoice::Install));
    assert!(matches!(choice("0.3.0", None), Err(ReleaseError::Older { .. })));
    assert!(matches!(choice("0.1.0", Some("0.1.5")), Err(ReleaseError::AnotherVersion { .. })));
}
