//! README's figures are those of `docs/figures`, not typed by anyone.

use probity_benches::{readme, rig};

#[test]
fn the_tables_are_what_was_measured() {
    let text = std::fs::read_to_string(rig::repository().join("README.md")).unwrap();
    assert!(text.contains("<!-- figures:foundation -->"));
    assert_eq!(readme::filled(&text).unwrap(), text, "run `just readme`");
}
