//! The page that explains a bundle to a person who unpacks it, with the figures of this run.

use probity_research::{Event, report::Report, text};

use crate::{bundle::journal_end, make::BundleParts, signature::PublicKey};

/// Longest question shown.
const QUESTION_CHARACTERS_MAX: usize = 2_000;

pub fn text(parts: &BundleParts<'_>, report: Option<&Report>, key: &PublicKey) -> String {
    let mut page = format!(
        "# Evidence bundle of {id}\n\n\
         Everything that this research read, asked, answered and concluded. It can be checked and replayed without a \
         network and without the machine it was made on.\n\n{facts}\n\
         ## What is in it\n\n\
         | file | what |\n|---|---|\n\
         | `manifest.json` | every other file with its size and BLAKE3 hash |\n\
         | `signature.json` | Ed25519 over the bytes of `manifest.json` |\n\
         | `journal.jsonl` | every event of the research, in order |\n\
         | `blobs/` | the report, answers of models, pages as they were fetched and their texts, named by BLAKE3 hash |\n\
         | `prompts/` | the prompts as they were when the bundle was made |\n\n\
         ## How to check it\n\n\
         ```\nprobity bundle verify FILE.probity --key {key}\nprobity bundle replay FILE.probity\n```\n\n\
         The key must come from whoever made the bundle, by another way than the bundle: anyone can sign with a key of \
         their own. `verify` checks the signature, every hash, that the journal replays, that the report follows from \
         it, that every verdict follows from its checks and that every quotation stands in the stored page. `replay` \
         writes the report again from the journal and the blobs alone.\n\n\
         ## What it cannot prove\n\n\
         That the pages are what the web showed. Addresses, times and bytes are the word of whoever signed: a forger who \
         writes another address into the journal and signs it cannot be told from an honest maker by anybody. `verify` \
         prints where each page came from, as the journal says, and refuses pages of a private network under a public \
         name. Trust the pages as far as you trust the key, or fetch them yourself and compare.\n",
        id = parts.research,
        facts = facts(parts, report),
    );
    if count_own_files(parts) > 0 {
        page.push_str(
            "\nSome pages in `blobs/` are files of the person who asked, not public pages: mind whom you give this to.\n",
        );
    }
    page
}

/// Pages in the journal that are the user's own files.
pub fn count_own_files(parts: &BundleParts<'_>) -> usize {
    let pages = crate::pages::journal_pages(parts.journal);
    pages.iter().filter(|page| page.is_own_file()).count()
}

fn facts(parts: &BundleParts<'_>, report: Option<&Report>) -> String {
    let mut rows = Vec::new();
    if let Some(asked) = parts.journal.first()
        && let Event::Asked { query, plan } = &asked.event
    {
        rows.push(("question", text::line(query.as_str(), QUESTION_CHARACTERS_MAX)));
        rows.push(("asked", asked.at.to_string()));
        rows.push(("engine", plan.engine.as_str().to_owned()));
        rows.extend(models(report, plan.agent.as_str()).map(|models| ("models", models)));
    }
    if let Some(end) = journal_end(parts.journal)
        && let Event::Ended { stop, cost, sources, .. } = end.event
    {
        rows.extend(parts.journal.get(end.place).map(|recorded| ("ended", recorded.at.to_string())));
        rows.push(("end", format!("{stop:?}").to_lowercase()));
        rows.push(("cost", cost.to_string()));
        rows.push(("sources", sources.to_string()));
    }
    rows.push(("verdicts", verdicts(report)));
    rows.push(("made by", format!("Probity {}", parts.program)));
    rows.iter().map(|(name, value)| format!("- {name}: {value}\n")).collect()
}

fn models(report: Option<&Report>, agent: &str) -> Option<String> {
    let rounds = report.and_then(|report| report.rounds.as_ref()).map(|rounds| rounds.model.clone());
    let judge = report.and_then(|report| report.verification().judge.map(|judge| judge.name.to_owned()));
    let mut names = vec![rounds.unwrap_or_else(|| agent.to_owned())];
    names.extend(judge.map(|judge| format!("{judge} (judge)")));
    let second = report.and_then(|report| report.ledger.as_ref()?.second_judge.as_ref());
    names.extend(second.map(|second| format!("{} (second judge)", second.name)));
    names.retain(|name| !name.is_empty());
    (!names.is_empty()).then(|| names.join(", "))
}

fn verdicts(report: Option<&Report>) -> String {
    let Some(report) = report else { return "none: there is no report".to_owned() };
    let outcome = report.verification();
    let tally =
        report.ledger.as_ref().map(|ledger| format!("{}; ", ledger.tally().line())).unwrap_or_default();
    format!("{tally}{}: {}", outcome.word(), outcome.reason)
}
