//! One figure: its name, what was measured, the goal, and whether the goal is reached.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::output;

/// How much is measured: everything, or the part that CI can afford.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasurementSize {
    Quick,
    Full,
}

impl MeasurementSize {
    /// `quick` in CI, `full` when an issue is closed or a release is made.
    pub fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureVerdict {
    Ok,
    /// Measured, and the goal is not reached.
    Short,
    /// Could not be measured on this machine; the note says why.
    Skipped,
}

impl FigureVerdict {
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Short => "short",
            Self::Skipped => "skipped",
        }
    }
}

/// What a figure speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// Holds on every machine; falling short fails CI.
    #[default]
    Promise,
    /// Depends on how busy the machine is. Printed by CI, judged by the full run.
    Timing,
    /// A goal that is known not to be reached everywhere yet: printed by CI and published as it is, judged by the full
    /// run.
    Aim,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The measurement that yields it, as `--only` names it.
    #[serde(default)]
    pub measurement: String,
    #[serde(default)]
    pub kind: FigureKind,
    pub verdict: FigureVerdict,
    pub name: String,
    pub measured: String,
    pub goal: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The commit it was measured on, with `-dirty` if files differed from it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// The build that was measured: `dev` or `release`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub profile: String,
}

impl Figure {
    pub fn judged(name: &str, reached: bool, measured: String, goal: &str) -> Self {
        let verdict = if reached { FigureVerdict::Ok } else { FigureVerdict::Short };
        Self {
            measurement: String::new(),
            kind: FigureKind::Promise,
            verdict,
            name: name.to_owned(),
            measured,
            goal: goal.to_owned(),
            note: String::new(),
            commit: String::new(),
            profile: String::new(),
        }
    }

    /// A figure that a busy machine can spoil.
    pub fn timing(mut self) -> Self {
        self.kind = FigureKind::Timing;
        self
    }

    /// A goal that is not reached yet.
    pub fn aim(mut self) -> Self {
        self.kind = FigureKind::Aim;
        self
    }

    pub fn skipped(name: &str, goal: &str, why: &str) -> Self {
        let verdict = FigureVerdict::Skipped;
        Self { verdict, ..Self::judged(name, false, "not measured".to_owned(), goal).with_note(why) }
    }

    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// One line: `ok  name: measured (goal: …)`.
    pub fn print(&self) {
        let word = self.verdict.word();
        let note = if self.note.is_empty() { String::new() } else { format!(" [{}]", self.note) };
        output::line(&format!("{word:7} {}: {} (goal: {}){note}", self.name, self.measured, self.goal));
    }
}

/// What `docs/figures/NAME.json` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FigureSheet {
    pub area: String,
    pub size: MeasurementSize,
    pub figures: Vec<Figure>,
}

impl FigureSheet {
    pub fn path(area: &str) -> PathBuf {
        crate::rig::repository().join("docs/figures").join(format!("{area}.json"))
    }

    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("parsing {}", path.display()))
    }

    /// This sheet with the figures of `newer` in place of those of the same measurements; order is `names`'. What could
    /// not be measured does not replace what once was.
    pub fn updated(mut self, newer: &Self, names: &[&str]) -> Self {
        let is_measured = |figure: &Figure| {
            let same = |new: &&Figure| new.measurement == figure.measurement;
            newer.figures.iter().filter(same).any(|new| new.verdict != FigureVerdict::Skipped)
        };
        let is_known = |new: &Figure| self.figures.iter().any(|figure| figure.measurement == new.measurement);
        let new = newer.figures.iter().filter(|new| is_measured(new) || !is_known(new)).cloned();
        let new: Vec<Figure> = new.collect();
        self.figures.retain(|figure| !is_measured(figure));
        self.figures.extend(new);
        let place = |figure: &Figure| names.iter().position(|name| *name == figure.measurement);
        self.figures.sort_by_key(place);
        self
    }

    /// Only full runs are kept: a quick one proves less than the published figure.
    pub fn save(&self) -> anyhow::Result<()> {
        let path = Self::path(&self.area);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, FigureSheet, MeasurementSize};

    fn sheet(figures: &[(&str, &str)]) -> FigureSheet {
        let figure = |(measurement, measured): &(&str, &str)| {
            let figure = match *measured {
                "" => Figure::skipped("x", "y", "not here"),
                measured => Figure::judged("x", true, measured.to_owned(), "y"),
            };
            Figure { measurement: (*measurement).to_owned(), ..figure }
        };
        let figures = figures.iter().map(figure).collect();
        FigureSheet { area: "house".to_owned(), size: MeasurementSize::Full, figures }
    }

    #[test]
    fn what_could_not_be_measured_does_not_replace_what_was() {
        let known = sheet(&[("packages", "47 MB"), ("page", "1 ms")]);
        let newer = sheet(&[("page", "2 ms"), ("page", ""), ("packages", ""), ("clients", "")]);
        let expected = sheet(&[("page", "2 ms"), ("page", ""), ("packages", "47 MB"), ("clients", "")]);
        assert_eq!(known.updated(&newer, &["page", "packages", "clients"]), expected);
    }
}
