//! The plan of a research as a text that its user writes: depth, words, language, and parts of the question that must be
//! looked into. The other parts are named by the model when the research begins, so that they cannot stand here.

pub mod editor;

use std::path::Path;

use probity_research::{
    Code,
    inquiry::{InquiryCaps, WantedFacet, facet::LINE_CHARACTERS_MAX},
    query::Query,
    text,
    web::{
        StrategyHints, StrategyLevel,
        search::QUERY_CHARACTERS_MAX,
        strategy::{WORDS_MAX, WORDS_MIN, parse_language},
    },
};

use crate::command_error::CommandError;

/// Longest file: some hundred lines.
const FILE_BYTES_MAX: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanFile {
    pub depth: Option<StrategyLevel>,
    pub words: Option<u32>,
    pub language: Option<String>,
    pub parts: Vec<WantedFacet>,
}

impl PlanFile {
    pub fn read(path: &Path) -> Result<Self, CommandError> {
        let refused = |why: String| {
            CommandError::new(Code::InvalidArguments, &format!("{} {why}", path.display()))
                .with_hint("name a file that you may read: `--plan-file FILE`; `--edit-plan` shows its form")
        };
        let bytes = std::fs::read(path).map_err(|error| refused(format!("cannot be read: {error}")))?;
        if bytes.len() > FILE_BYTES_MAX {
            return Err(refused(format!("has {} bytes; at most {FILE_BYTES_MAX} are taken", bytes.len())));
        }
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// `key: value` on each line; a query belongs to the part above it.
    pub fn parse(written: &str) -> Result<Self, CommandError> {
        let mut plan = Self::default();
        for (place, line) in written.lines().enumerate() {
            let line = text::line(line, usize::MAX);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            plan.take(&line).map_err(|why| wrong(place + 1, &why))?;
        }
        plan.check()?;
        Ok(plan)
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let (key, value) = line.split_once(':').ok_or_else(|| "has no `:`".to_owned())?;
        let (key, value) = (key.trim().to_lowercase(), value.trim());
        if value.is_empty() {
            return Err(format!("has nothing behind `{key}:`"));
        }
        match key.as_str() {
            "depth" => {
                let level = StrategyLevel::parse(value);
                self.depth =
                    Some(level.ok_or_else(|| format!("names no depth; known: {}", StrategyLevel::WORDS))?);
            }
            "words" => {
                let words = value.parse::<u32>().ok().filter(|words| (WORDS_MIN..=WORDS_MAX).contains(words));
                self.words = Some(words.ok_or_else(|| format!("takes {WORDS_MIN} to {WORDS_MAX} words"))?);
            }
            "language" => {
                self.language = Some(parse_language(value).ok_or_else(|| "names no language".to_owned())?);
            }
            "part" => {
                let question = bounded(value, LINE_CHARACTERS_MAX)?;
                if self.parts.iter().any(|known| known.question == question) {
                    return Err("repeats a part".to_owned());
                }
                self.parts.push(WantedFacet { question, query: String::new() });
            }
            "query" => {
                let part = self.parts.last_mut().ok_or_else(|| "has no part above it".to_owned())?;
                part.query = bounded(value, QUERY_CHARACTERS_MAX)?;
            }
            _ => return Err("begins with none of: depth, words, language, part, query".to_owned()),
        }
        Ok(())
    }

    /// Only what is searched in parts can keep them.
    fn check(&self) -> Result<(), CommandError> {
        if self.parts.is_empty() {
            return Ok(());
        }
        let level = self.level().unwrap_or(StrategyLevel::Deep);
        let refused = |message: &str| CommandError::new(Code::InvalidArguments, message);
        if level < StrategyLevel::Medium {
            return Err(refused("parts need depth medium, deep or exhaustive")
                .with_hint("write `depth: deep` into the plan, or leave the line out"));
        }
        let most = usize::try_from(InquiryCaps::of(level).lines).unwrap_or(usize::MAX);
        if self.parts.len() > most {
            let message = format!("depth {} has at most {most} parts", level.as_str());
            return Err(refused(&message).with_hint("leave parts out, or write `depth: exhaustive`"));
        }
        Ok(())
    }

    /// A plan with parts is a deep one unless it says otherwise.
    pub fn level(&self) -> Option<StrategyLevel> {
        self.depth.or_else(|| (!self.parts.is_empty()).then_some(StrategyLevel::Deep))
    }

    /// What it says goes before what the command line said.
    pub fn apply_to(&self, hints: StrategyHints) -> StrategyHints {
        StrategyHints {
            level: self.level().or(hints.level),
            words: self.words.or(hints.words),
            language: self.language.clone().or(hints.language),
            ..hints
        }
    }
}

fn bounded(value: &str, characters_max: usize) -> Result<String, String> {
    match value.chars().count() <= characters_max {
        true => Ok(value.to_owned()),
        false => Err(format!("has more than {characters_max} characters")),
    }
}

fn wrong(line: usize, why: &str) -> CommandError {
    CommandError::new(Code::InvalidArguments, &format!("line {line} of the plan {why}")).with_hint(
        "a line is like `depth: deep`, `words: 3000`, `part: Who paid for it?` or `query: bridge funding`",
    )
}

/// What the editor shows first.
pub fn template(query: &Query, hints: &StrategyHints) -> String {
    let depth = hints.level.unwrap_or(StrategyLevel::Deep).as_str();
    let words = hints.words.map_or_else(|| "# words: 3000".to_owned(), |words| format!("words: {words}"));
    let language = match &hints.language {
        Some(language) => format!("language: {language}"),
        None => "# language: English".to_owned(),
    };
    format!(
        "# The plan of: {}\n\
         # Lines that begin with # do not count. Save and close to go on; the price is shown before anything starts.\n\
         # The model names the parts of the question when the research begins. Parts that stand here are looked into\n\
         # in any case and come first; a query below a part is the first search for it.\n\
         \n\
         depth: {depth}\n{words}\n{language}\n\
         \n\
         # part: Who paid for it?\n\
         # query: funding of the bridge\n",
        text::line(query.as_str(), 200)
    )
}

#[cfg(test)]
mod tests {
    use probity_research::{
        inquiry::WantedFacet,
        query::Query,
        web::{StrategyHints, StrategyLevel},
    };

    use super::{PlanFile, template};

    #[test]
    fn a_plan_is_read_line_by_line() {
        let plan = PlanFile::parse(
            "# mine\nwords: 900\nLanguage: German\n\npart: Who paid?\nquery: bridge funding\npart: Who warned: and when?\n",
        );
        let part = |question: &str, query: &str| WantedFacet {
            question: question.to_owned(),
            query: query.to_owned(),
        };
        let expected = PlanFile {
            depth: None,
            words: Some(900),
            language: Some("German".to_owned()),
            parts: vec![part("Who paid?", "bridge funding"), part("Who warned: and when?", "")],
        };
        assert_eq!(plan.unwrap(), expected);
        assert_eq!(expected.level(), Some(StrategyLevel::Deep));
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_line() {
        for (written, said) in [
            ("depth: deepest", "line 1 of the plan names no depth"),
            ("\nwords: 5", "line 2 of the plan takes"),
            ("who paid?", "line 1 of the plan has no `:`"),
            ("query: a", "line 1 of the plan has no part above it"),
            ("part: a\npart: a", "line 2 of the plan repeats a part"),
            ("parts: a", "begins with none of"),
            ("part:", "has nothing behind `part:`"),
            ("depth: quick\npart: a", "parts need depth medium, deep or exhaustive"),
            (
                "part: a\npart: b\npart: c\npart: d\npart: e\npart: f\npart: g\npart: h\npart: i",
                "at most 8 parts",
            ),
        ] {
            let refused = PlanFile::parse(written).unwrap_err();
            assert!(refused.problem.message.contains(said), "{written}: {}", refused.problem.message);
        }
    }

    #[test]
    fn what_the_editor_shows_can_be_handed_back_unchanged() {
        let query = Query::parse("Why did the bridge fall?").unwrap();
        let hints = StrategyHints { words: Some(700), ..StrategyHints::default() };
        let plan = PlanFile::parse(&template(&query, &hints)).unwrap();
        assert_eq!(plan.apply_to(hints.clone()), StrategyHints { level: Some(StrategyLevel::Deep), ..hints });
        assert!(plan.parts.is_empty());
    }
}
