//! Where the pages of a bundle came from: a page of this machine under a public name is not packed and not believed
//! unless somebody asks for it.

use std::{fs, os::unix::fs::PermissionsExt as _};

use crate::web::stage::{Hands, Stage};

const TEXT: &str =
    "The harbour bridge of Norwick is 412 metres long. [council](http://council.example/bridge)\n";

#[test]
fn a_made_up_page_is_neither_packed_nor_believed() {
    let stage = Stage::new(Hands::Nothing);
    stage.world.write("claim.md", TEXT);
    let checked = stage.run(&["verify", "claim.md", "--no-judge", "--fail-on", "none"]);
    assert_eq!(checked.code, 0, "{}", checked.err);

    let refused = stage.run(&["bundle", "last", "--output", "forged.probity"]);
    assert_ne!(refused.code, 0, "{}", refused.out);
    assert!(
        refused.err.contains("council.example") && refused.err.contains("--private-pages"),
        "{}",
        refused.err
    );
    assert!(!stage.world.home.path().join("forged.probity").exists());

    let packed = stage.run(&["bundle", "last", "--output", "forged.probity", "--private-pages"]);
    assert_eq!(packed.code, 0, "{}", packed.err);
    let mode = fs::metadata(stage.world.home.path().join("forged.probity")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    // Elsewhere, where nothing is set.
    let believed = stage.world.run(&["bundle", "verify", "forged.probity"]);
    assert_eq!(believed.code, 1, "{}", believed.out);
    assert!(
        believed.out.contains("overridden-address") && believed.out.contains("127.0.0.1"),
        "{}",
        believed.out
    );
    let document = stage.world.json(&["bundle", "verify", "forged.probity", "--json"]);
    assert_eq!(document["pages"][0]["origin"], "overridden-address");
    assert_eq!(document["success"], false);
    let asked_for = stage.world.run(&["bundle", "verify", "forged.probity", "--private-pages"]);
    assert_eq!(asked_for.code, 0, "{}", asked_for.out);
}
