//! The page in real browsers: every form and button of it, in Chromium and in Firefox.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use probity_simulator::Script;
use serde_json::Value;

use super::Page;
use crate::{
    harness::{World, wait_until},
    web::stage::{Hands, QUESTION, Stage},
};

const BROWSERS: [(&str, &str); 2] =
    [("chromium", "/usr/bin/chromium-headless-shell"), ("firefox", "/usr/bin/firefox-esr")];

fn crate_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../probity-page")
}

/// Those that can be driven here; a notice for each that cannot.
pub fn installed() -> Vec<&'static str> {
    let driver = crate_folder().join("../../.tools/page/node_modules/puppeteer-core").exists();
    let there = BROWSERS.into_iter().filter(|(name, program)| {
        let there = driver && Path::new(program).exists();
        if !there {
            assert!(std::env::var_os("CI").is_none(), "{name} is not installed: run .ci/install");
            crate::harness::notice(&format!(
                "{name} or its driver is not installed; the page was not opened in it"
            ));
        }
        there
    });
    there.map(|(name, _)| name).collect()
}

/// What a script of `checks` printed.
pub fn run(script: &str, arguments: &[&str]) -> String {
    let path = crate_folder().join("checks").join(script);
    let done = Command::new("node").arg(path).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.stderr.is_empty(), "{script} {arguments:?}: {said}");
    String::from_utf8(done.stdout).unwrap()
}

/// Method and address of every form that is written in a template, ids replaced.
fn forms_of_templates() -> BTreeSet<(String, String)> {
    let attribute = |form: &str, name: &str| {
        let value = form.split(&format!("{name}=\"")).nth(1).unwrap_or_default();
        let value = value.split('"').next().unwrap_or_default();
        let ids = ["{{ summary.id }}", "{{ parent }}", "{{ id }}", "{{ card.id }}"];
        ids.iter().fold(value.to_owned(), |value, id| value.replace(id, "ID"))
    };
    let mut forms = BTreeSet::new();
    for entry in fs::read_dir(crate_folder().join("templates")).unwrap().flatten() {
        let text = fs::read_to_string(entry.path()).unwrap();
        for form in text.split("<form").skip(1) {
            let form = form.split('>').next().unwrap();
            forms.insert((attribute(form, "method"), attribute(form, "action")));
        }
    }
    forms
}

/// Forms of researches on pages, which the world of the others has none of: submitted in a world of their own.
const NEED_A_SEARCHED_RUN: [&str; 3] =
    ["/research/ID/steer", "/research/ID/follow-up", "/research/ID/follow-up/start"];

#[test]
fn every_form_and_button_works_in_real_browsers() {
    let browsers = installed();
    let (mut works, mut all) = (0, 0);
    let mut broken = Vec::new();
    for browser in &browsers {
        let world = World::new();
        world.run(&["research", "a finished one"]);
        let page = Page::open(&world, &[]);
        let question = "[[slow duration_ms=6000000]] forms";
        let printed = run("forms.mjs", &[&page.address, "--browser", browser, "--question", question]);
        let printed: Value = serde_json::from_str(&printed).unwrap();
        let tried = printed["tried"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let submitted: BTreeSet<(String, String)> = tried
            .iter()
            .filter(|one| one["form"].is_object())
            .map(|one| (text(&one["form"]["method"]), text(&one["form"]["action"])))
            .collect();
        let missing: Vec<_> = forms_of_templates()
            .difference(&submitted)
            .filter(|(_, action)| !NEED_A_SEARCHED_RUN.contains(&action.as_str()))
            .cloned()
            .collect();
        assert!(missing.is_empty(), "{browser} never met {missing:?} on {}", printed["pages"]);
        all += tried.len();
        works += tried.iter().filter(|one| one["works"] == true).count();
        broken.extend(tried.iter().filter(|one| one["works"] != true).map(|one| format!("{browser}: {one}")));
        assert_eq!(world.ledger().entries().len(), 2, "one was started by a form");
    }
    eprintln!("figure: page.forms {works} of {all} in {}", browsers.join(" and "));
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The forms that were submitted on pages of this research, each with whether it worked.
fn submitted(stage: &Stage, browser: &str, arguments: &[&str]) -> Vec<Value> {
    let page = Page::of(stage.start(&["ui"]));
    let printed = run("searched.mjs", &[&[page.address.as_str(), "--browser", browser], arguments].concat());
    let printed: Value = serde_json::from_str(&printed).unwrap();
    printed["tried"].as_array().unwrap().clone()
}

#[test]
fn a_research_on_pages_is_steered_and_asked_further_in_real_browsers() {
    for browser in installed() {
        let read = Stage::new(Hands::Paid);
        let finished = read.json(&["ask", "--json", QUESTION])["task_id"].as_str().unwrap().to_owned();
        let further = "How many tonnes of steel does the harbour bridge of Norwick have?";
        let mut tried = submitted(&read, browser, &["--finished", finished.as_str(), "--question", further]);

        // Its model takes its time: the research is still at it when the forms are sent.
        let slow = Stage::new(Hands::Paid).scripted(Script::Slow);
        let asked = ["research", "--web", "--depth", "deep", "--budget", "20", QUESTION];
        let mut child = slow.start(&asked);
        let mut running = String::new();
        wait_until("a search", || {
            let listed = slow.json(&["runs", "list", "--json"]);
            let first = &listed["researches"][0];
            running = first["task_id"].as_str().unwrap_or_default().to_owned();
            first["progress"]["searches"].as_u64().unwrap_or_default() >= 1
        });
        tried.extend(submitted(&slow, browser, &["--running", running.as_str()]));
        child.kill().unwrap();
        child.wait().unwrap();

        let broken: Vec<&Value> = tried.iter().filter(|one| one["works"] != true).collect();
        assert!(broken.is_empty(), "{browser}: {broken:#?}");
        for action in NEED_A_SEARCHED_RUN {
            assert!(tried.iter().any(|one| one["form"]["action"] == action), "{browser}: {action} {tried:?}");
        }
    }
}
