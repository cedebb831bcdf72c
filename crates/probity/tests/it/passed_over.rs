//! An invention is found wherever it stands, and what is not read is named: nobody takes the part for the whole.

use std::fs;

use serde_json::Value;

use crate::web::stage::{Hands, Stage};

const CITED: &str = "The harbour bridge of Norwick is 412 metres long [1](http://council.example/bridge).";

const LINKED: &str =
    "The harbour bridge of Norwick is 412 metres long <a href='http://council.example/bridge'>1</a>.";

fn verify(stage: &Stage, name: &str, text: &str, arguments: &[&str]) -> crate::harness::CommandOutput {
    fs::write(stage.world.home.path().join(name), text).unwrap();
    stage.run(&[&["verify", name], arguments].concat())
}

#[test]
fn an_invention_outside_of_the_paragraphs_keeps_a_text_from_being_verified() {
    let stage = Stage::new(Hands::Paid);
    let invented = "The bridge collapsed in 1950 and killed forty people";
    let is_read = |document: &Value| {
        let claims = document["evidence"]["claims"].as_array().unwrap();
        claims.iter().any(|claim| claim["words"].as_str().unwrap().starts_with(invented))
    };
    for text in [
        format!("# {invented}\n\n{CITED}\n"),
        format!("{CITED}[^1]\n\n[^1]: {invented}.\n"),
        format!("{CITED}\n\n## Sources\n\n1. http://council.example/bridge {invented}.\n"),
        format!("{CITED}\n\n<img src=x.png alt=\"{invented}\">\n"),
        format!("{CITED}\n\n```\n{invented}.\n```\n"),
        format!("---\ntitle: {invented}\n---\n\n{CITED}\n"),
        format!("{CITED}\n\n[2]: http://council.example/bridge \"{invented}\"\n"),
    ] {
        let done = verify(&stage, "text.md", &text, &["--json", "--fail-on", "unverified"]);
        assert_eq!(done.code, 4, "{text}\n{}", done.err);
        let document: Value = serde_json::from_str(&done.out).unwrap();
        let basis = document["verification_basis"].as_str().unwrap();
        assert!(
            is_read(&document) || basis.contains("sentences stand where nothing is read"),
            "{text}\n{basis}"
        );
    }
    for page in [
        format!("<html><h1>{invented}</h1><p>{LINKED}</p></html>"),
        format!("<html><p>{LINKED}</p><button>{invented}.</button></html>"),
        format!("<html><p>{LINKED}</p><nav>{invented}.</nav></html>"),
        format!("<html><p>{LINKED}</p><img src=x alt='{invented}'></html>"),
    ] {
        let done = verify(&stage, "text.html", &page, &["--json", "--fail-on", "none"]);
        let document: Value = serde_json::from_str(&done.out).unwrap();
        assert!(is_read(&document), "{page}\n{document}");
    }
}

#[test]
fn what_is_not_read_is_told_in_every_format() {
    let stage = Stage::new(Hands::Paid);
    let text = format!("---\ntitle: Bridges\n---\n\n{CITED}\n\n```\nx = 1\n```\n");
    let told = "not read on purpose: front matter, 1 code block";
    let checked = |arguments: &[&str]| {
        let done = verify(&stage, "text.md", &text, &[arguments, &["--fail-on", "none"]].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        done
    };
    let table = checked(&[]);
    assert!(table.err.contains(told), "{}", table.err);
    for format in ["markdown", "sarif", "junit", "json"] {
        let out = checked(&["--format", format]).out;
        assert!(out.contains(told), "{format}: {out}");
    }
}
