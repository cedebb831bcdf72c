//! The reports that we wrote ourselves, true and false, with the pages they cite: `benches/evidence-sets/reports`.
//!
//! A file per language. `## true` or `## false: KIND` begins a report, `@ TITLE` one of its pages, `= TITLE` its text.
//! `[1]` cites its first page. A false sentence stands in braces, which nobody but the labels sees.

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::{
    evidence::scripted_judge::{SentenceLabels, TruthLabel},
    rig,
};

const FOLDER: &str = "benches/evidence-sets/reports";

#[derive(Debug, Clone, Default)]
pub struct WrittenReport {
    /// Language and number, such as `en-12`.
    pub id: String,
    language: String,
    /// What is false about it; none if all of it is true.
    pub fault: Option<String>,
    /// Title and text.
    pages: Vec<(String, String)>,
    title: String,
    /// With braces and `[1]`.
    text: String,
}

/// Every report of every language, in the order of the files' names.
pub fn load() -> anyhow::Result<Vec<WrittenReport>> {
    let folder = rig::repository().join(FOLDER);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .with_context(|| format!("reading {}", folder.display()))?
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    files.sort();
    let mut reports = Vec::new();
    for file in files {
        let language = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        reports.extend(parse(&language, &std::fs::read_to_string(&file)?)?);
    }
    Ok(reports)
}

fn parse(language: &str, text: &str) -> anyhow::Result<Vec<WrittenReport>> {
    let mut reports: Vec<WrittenReport> = Vec::new();
    for line in text.lines() {
        if let Some(about) = line.strip_prefix("## ") {
            let fault = about.strip_prefix("false: ").map(str::to_owned);
            ensure!(fault.is_some() || about == "true", "`{about}` is neither true nor false");
            let id = format!("{language}-{}", reports.len() + 1);
            reports.push(WrittenReport {
                id,
                language: language.to_owned(),
                fault,
                ..WrittenReport::default()
            });
            continue;
        }
        // What stands above the first report is for readers.
        let Some(report) = reports.last_mut() else { continue };
        if let Some(title) = line.strip_prefix("@ ") {
            report.pages.push((title.to_owned(), String::new()));
        } else if let Some(title) = line.strip_prefix("= ") {
            title.clone_into(&mut report.title);
        } else if report.title.is_empty() {
            let (_, page) = report.pages.last_mut().context("text before the first page")?;
            page.push_str(&format!("{line}\n\n"));
        } else {
            report.text.push_str(&format!("{line}\n"));
        }
    }
    for report in &reports {
        let is_marked = report.text.contains('{');
        ensure!(!report.pages.is_empty() && !report.text.trim().is_empty(), "{} is not whole", report.id);
        ensure!(is_marked == report.fault.is_some(), "{}: braces and its kind disagree", report.id);
    }
    Ok(reports)
}

impl WrittenReport {
    fn url(&self, place: usize) -> String {
        format!("http://page{}.{}.example/article", place + 1, self.id)
    }

    /// As the simulator serves them. A page with a table is sent as it is written.
    pub fn simulated_pages(&self) -> Vec<Value> {
        let page = |(place, (title, text)): (usize, &(String, String))| {
            let (url, language) = (self.url(place), &self.language);
            if !text.contains("<table") {
                return json!({"url": url, "title": title, "text": text.trim(), "language": language});
            }
            let paragraph = |line: &str| match line.starts_with('<') {
                true => line.to_owned(),
                false => format!("<p>{line}</p>"),
            };
            let lines: String = text.lines().filter(|line| !line.is_empty()).map(paragraph).collect();
            let body = format!(
                "<!doctype html><html lang=\"{language}\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\
                 <body><main><article><h1>{title}</h1>{lines}</article></main></body></html>"
            );
            json!({"url": url, "body": body, "content_type": "text/html; charset=utf-8"})
        };
        self.pages.iter().enumerate().map(page).collect()
    }

    /// The report as it is handed in: every other one with links in its sentences, the rest with numbers and a list.
    pub fn markdown(&self) -> String {
        if self.id.ends_with(['0', '2', '4', '6', '8']) {
            return self.with_links();
        }
        let line = |(place, (title, _)): (usize, &(String, String))| {
            format!("[{}] {title}: {}\n", place + 1, self.url(place))
        };
        let list: String = self.pages.iter().enumerate().map(line).collect();
        format!("{}\n## Sources\n\n{list}", self.shown())
    }

    pub fn with_links(&self) -> String {
        let link = |text: String, (place, (title, _)): (usize, &(String, String))| {
            text.replace(&format!("[{}]", place + 1), &format!("[{title}]({})", self.url(place)))
        };
        self.pages.iter().enumerate().fold(self.shown(), link)
    }

    fn shown(&self) -> String {
        format!("# {}\n\n{}", self.title, self.text.replace(['{', '}'], ""))
    }

    /// What braces say of its sentences, whether or not a reader of the report takes the words of a link for a part of them.
    pub fn label(&self, labels: &mut SentenceLabels) {
        let page: String = self.pages.iter().map(|(title, page)| format!("{title} {page}")).collect();
        let (mut bare, mut named) = (self.text.clone(), self.text.clone());
        for (place, (title, _)) in self.pages.iter().enumerate() {
            let mark = format!("[{}]", place + 1);
            bare = bare.replace(&mark, "");
            named = named.replace(&mark, title);
        }
        for text in [bare, named] {
            let mut rest = text.as_str();
            while let Some((before, behind)) = rest.split_once('{') {
                let (inside, after) = behind.split_once('}').unwrap_or((behind, ""));
                labels.add(inside, TruthLabel::False, &page);
                labels.add(before, TruthLabel::True, &page);
                rest = after;
            }
            labels.add(rest, TruthLabel::True, &page);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{load, parse};

    #[test]
    fn the_set_is_as_large_as_its_page_says() {
        let reports = load().unwrap();
        let (wrong, right): (Vec<_>, Vec<_>) = reports.iter().partition(|report| report.fault.is_some());
        assert!(wrong.len() >= 60 && right.len() >= 40, "{} false, {} true", wrong.len(), right.len());
        for language in ["en", "de", "fr", "es", "zh", "ja", "ar"] {
            assert!(reports.iter().filter(|report| report.language == language).count() >= 5, "{language}");
        }
        for report in &reports {
            let sentences = report.text.matches(['.', '。', '!', '؟']).count();
            assert!((3..=12).contains(&sentences), "{}: {sentences}", report.id);
        }
    }

    #[test]
    fn braces_are_for_labels_alone() {
        let text = "About this file.\n## false: wrong subject\n@ A dam\nThe dam is old.\n= Dams\nThe dam is old [1]. {It leaks [1].}\n";
        let reports = parse("en", text).unwrap();
        let expected = "# Dams\n\nThe dam is old [1]. It leaks [1].\n\n## Sources\n\n[1] A dam: http://page1.en-1.example/article\n";
        assert_eq!(reports[0].markdown(), expected);
        assert!(parse("en", "## true\n@ A\nb\n= C\n{d}\n").is_err());
    }
}
