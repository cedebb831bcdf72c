//! The text of pages against trafilatura, the extractor that most others use: side by side, in one run.
//!
//! Always on pages of our own making, whose text is known because it was written first; on other people's labelled
//! pages where `PROBITY_EXTRACTION_CORPUS` names a folder of them.
#![expect(
    clippy::disallowed_methods,
    reason = "a corpus that may not be shipped is named by the environment"
)]

mod generated_pages;

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    time::Duration,
};

use anyhow::Context;
use serde::Deserialize;

use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

/// How many times as many pages per second of processor time.
const SPEED_GOAL: f64 = 5.0;
/// Both extractors over one corpus take seconds.
const LIMIT: Duration = Duration::from_secs(300);
/// Names a folder with `ground-truth.json` and `html/*.html.gz`, as article-extraction-benchmark has them.
const CORPUS: &str = "PROBITY_EXTRACTION_CORPUS";

/// What an extractor made of a folder of pages.
#[derive(Deserialize)]
struct ExtractorTexts {
    /// Processor time.
    seconds: f64,
    texts: BTreeMap<String, String>,
}

/// A folder of pages with their texts as people or the generator wrote them.
struct ExtractionCorpus {
    name: &'static str,
    folder: tempfile::TempDir,
    truth: BTreeMap<String, String>,
}

pub fn measure(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let python = rig::repository().join(".tools/trafilatura/bin/python");
    if !python.is_file() {
        let why = "trafilatura is not installed; run `.ci/install`";
        return Ok(vec![Figure::skipped("main text against trafilatura", "at least equal", why)]);
    }
    let mut figures = compare(&made()?, &python)?;
    match std::env::var_os(CORPUS) {
        Some(corpus) => figures.extend(compare(&labelled(Path::new(&corpus), &python)?, &python)?),
        None => output::line(&format!("no pages labelled by others: {CORPUS} names no folder")),
    }
    Ok(figures)
}

fn made() -> anyhow::Result<ExtractionCorpus> {
    let folder = tempfile::tempdir()?;
    let mut truth = BTreeMap::new();
    for page in generated_pages::pages()? {
        std::fs::write(folder.path().join(&page.name), &page.html)?;
        truth.insert(page.name, page.text);
    }
    Ok(ExtractionCorpus { name: "made pages", folder, truth })
}

fn labelled(corpus: &Path, python: &Path) -> anyhow::Result<ExtractionCorpus> {
    let folder = tempfile::tempdir()?;
    let script = rig::repository().join("benches/checks/trafilatura/texts.py");
    let mut prepare = rig::command(python);
    let ended = rig::run(prepare.arg(script).arg("prepare").arg(corpus).arg(folder.path()), LIMIT)?;
    let truth =
        serde_json::from_str(&ended.stdout).with_context(|| format!("preparing: {}", ended.stderr))?;
    Ok(ExtractionCorpus { name: "pages labelled by others", folder, truth })
}

fn compare(corpus: &ExtractionCorpus, python: &Path) -> anyhow::Result<Vec<Figure>> {
    let script = rig::repository().join("benches/checks/trafilatura/texts.py");
    let folder = corpus.folder.path();
    // What the program reads; the labels leave out captions, boxes beside the text and bylines, which it reads too.
    let ours = texts(rig::command(rig::built("parser-probe")?).arg("whole-texts").arg(folder))?;
    let main = texts(rig::command(rig::built("parser-probe")?).arg("texts").arg(folder))?;
    let theirs = texts(rig::command(python).arg(script).arg("texts").arg(folder))?;
    let (our_score, their_score) = (score(corpus, &ours.texts), score(corpus, &theirs.texts));
    let main_score = score(corpus, &main.texts);
    let everything = all_words(corpus)?;
    let whole_page = score(corpus, &everything);
    let nothing = score(corpus, &BTreeMap::new());
    let pages = corpus.truth.len();
    let ratio = theirs.seconds / ours.seconds.max(f64::EPSILON);
    let per_second = |seconds: f64| pages as f64 / seconds.max(f64::EPSILON);
    let name = corpus.name;
    Ok(vec![
        Figure::judged(
            &format!("main text of {pages} {name}, F1 of words"),
            our_score >= their_score && pages > 0,
            format!("{our_score:.4}, trafilatura {their_score:.4}"),
            "at least trafilatura's",
        )
        .with_note(format!(
            "mean over pages; both see the same bytes in the same run; without captions, boxes and bylines, which the \
             labels do not have: {main_score:.4}"
        )),
        Figure::judged(
            &format!("control: {name} with everything on them, and with nothing"),
            whole_page < our_score - 0.02 && nothing == 0.0,
            format!("{whole_page:.4} and {nothing:.4}"),
            "the score sees both",
        ),
        Figure::judged(
            &format!("speed on {name}, pages per second of one core"),
            ratio >= SPEED_GOAL,
            format!(
                "{:.0}, trafilatura {:.0}: {ratio:.1} times",
                per_second(ours.seconds),
                per_second(theirs.seconds)
            ),
            "at least 5 times",
        )
        .timing()
        .with_note("processor time inside each process, without its start"),
    ])
}

fn texts(command: &mut std::process::Command) -> anyhow::Result<ExtractorTexts> {
    let ended = rig::run(command, LIMIT)?;
    serde_json::from_str(&ended.stdout).with_context(|| format!("reading texts: {}", ended.stderr))
}

/// Mean F1 of words over all pages; a page without a text counts as nothing.
fn score(corpus: &ExtractionCorpus, texts: &BTreeMap<String, String>) -> f64 {
    let of = |(name, truth): (&String, &String)| f1(truth, texts.get(name).map_or("", String::as_str));
    corpus.truth.iter().map(of).sum::<f64>() / corpus.truth.len().max(1) as f64
}

/// Every word between tags: what an extractor that selects nothing would give.
fn all_words(corpus: &ExtractionCorpus) -> anyhow::Result<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for name in corpus.truth.keys() {
        let bytes = std::fs::read(corpus.folder.path().join(name))?;
        all.insert(name.clone(), between_tags(&String::from_utf8_lossy(&bytes)));
    }
    Ok(all)
}

/// The balance of what was found and of what should not have been, from 0 to 1.
fn f1(truth: &str, found: &str) -> f64 {
    let (truth, found) = (counts(truth), counts(found));
    let shared: usize =
        truth.iter().map(|(word, count)| found.get(word).map_or(0, |other| *other.min(count))).sum();
    let (of_truth, of_found) = (truth.values().sum::<usize>(), found.values().sum::<usize>());
    if shared == 0 {
        return 0.0;
    }
    let (precision, recall) = (shared as f64 / of_found as f64, shared as f64 / of_truth as f64);
    2.0 * precision * recall / (precision + recall)
}

fn counts(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

/// Everything outside `<` and `>`, and outside scripts and styles.
fn between_tags(html: &str) -> String {
    let mut text = String::new();
    let mut raw = false;
    for piece in html.split('<') {
        let (tag, after) = piece.split_once('>').unwrap_or(("", piece));
        raw = if raw { !tag.starts_with('/') } else { tag.starts_with("script") || tag.starts_with("style") };
        if !raw {
            text.push_str(after);
            text.push(' ');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{between_tags, f1};

    #[test]
    fn the_score_sees_what_is_missing_and_what_is_too_much() {
        assert!((f1("a b c d", "a b c d") - 1.0).abs() < 1e-9);
        assert!((f1("a b c d", "a b") - 2.0 / 3.0).abs() < 1e-9);
        assert!((f1("a b", "a b c d") - 2.0 / 3.0).abs() < 1e-9);
        assert!(f1("a b", "") == 0.0 && f1("a", "b") == 0.0);
        assert_eq!(
            between_tags("<p>a</p><script>x<y</script><b>c").split_whitespace().collect::<Vec<_>>(),
            ["a", "c"]
        );
    }
}
