//! What lies beyond a limit of a check is counted and said; a page that answers is never called unreachable.

use std::fs;

use serde_json::Value;

use crate::{
    harness::finish,
    web::stage::{Hands, Stage},
};

const TEXT: &str = "The harbour bridge of Norwick is 412 metres long [1](http://council.example/bridge).\n\n\
    It did open on 3 May 1987 [2](http://gazette.example/opening).\n\n\
    Divers spent 14 months on its foundations [3](http://museum.example/norwick).\n";

fn verify(stage: &Stage, setting: (&str, &str), arguments: &[&str]) -> crate::harness::CommandOutput {
    fs::write(stage.world.home.path().join("text.md"), TEXT).unwrap();
    let mut command = stage.command(&[&["verify", "text.md", "--no-judge"], arguments].concat());
    finish(command.env(setting.0, setting.1).spawn().unwrap())
}

#[test]
fn pages_beyond_the_limit_are_not_fetched_and_not_called_unreachable() {
    let stage = Stage::new(Hands::Nothing);
    let done = verify(&stage, ("PROBITY_CHECKS__PAGES_MAX", "2"), &["--json"]);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    let settled = document["evidence"]["settled"].as_array().unwrap();
    let whys: Vec<&str> = settled.iter().filter_map(|settled| settled["why"].as_str()).collect();
    assert_eq!(whys.iter().filter(|why| **why == "limit").count(), 1, "{whys:?}");
    assert!(!whys.contains(&"unreachable"), "{whys:?}");
    assert_eq!(stage.fetches().len(), 2, "{:?}", stage.fetches());
    assert!(done.err.contains("beyond the limit of 2 pages; `checks.pages_max` raises it"), "{}", done.err);
    assert_eq!(done.code, 5, "nobody takes the part for the whole: {}", done.err);
    let whole = verify(&stage, ("PROBITY_CHECKS__PAGES_MAX", "3"), &[]);
    assert!(whole.code != 5 && !whole.out.contains("beyond a limit"), "{}{}", whole.out, whole.err);
}

#[test]
fn claims_beyond_the_limit_are_counted_with_their_line() {
    let stage = Stage::new(Hands::Nothing);
    let said = "1 claim from line 5 on, beyond the limit of 2 claims; `checks.claims_max` raises it";
    let limit = ("PROBITY_CHECKS__CLAIMS_MAX", "2");
    let table = verify(&stage, limit, &[]);
    assert!(table.err.contains(&format!("not examined: {said}")), "{}", table.err);
    assert_eq!(table.code, 5, "{}", table.err);
    let markdown = verify(&stage, limit, &["--format", "markdown"]);
    assert!(markdown.out.contains(&format!("*Not examined: {said}*")), "{}", markdown.out);
    let document: Value = serde_json::from_str(&verify(&stage, limit, &["--json"]).out).unwrap();
    assert_eq!(document["evidence"]["unread"], serde_json::json!([said]));
}

#[test]
fn the_end_of_a_document_that_is_too_long_is_said_on_every_face() {
    let stage = Stage::new(Hands::Nothing);
    let filler = "Nothing is said here about the bridge of the town.\n\n".repeat(45_000);
    let text = format!("{filler}The bridge is 999 metres long [1](http://council.example/bridge).\n");
    fs::write(stage.world.home.path().join("long.md"), text).unwrap();
    let verify = |format: &str| {
        let arguments = ["verify", "long.md", "--no-judge", "--again", "--format", format];
        finish(stage.command(&arguments).spawn().unwrap())
    };
    let said = "what follows the first 2097152 bytes of long.md";
    for format in ["json", "junit"] {
        let done = verify(format);
        assert_eq!(done.code, 5, "nobody takes the part for the whole: {}", done.err);
        assert!(done.out.contains(said), "{format}: {}", done.err);
    }
    let shown = finish(stage.command(&["runs", "show", "last", "--json"]).spawn().unwrap());
    assert!(shown.out.contains(said), "{}", shown.err);
}
