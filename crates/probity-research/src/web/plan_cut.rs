//! How a plan was made smaller because its whole price is more than it may cost: told with the plan and in the answer.

use serde::{Deserialize, Serialize};

use crate::{cost::MicroUsd, report::ReportPhrases};

/// Who set the amount that a plan was cut to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutCause {
    /// The caller or a setting stated a budget.
    Budget,
    /// Nobody did: `budget.guard_usd` bounds what is spent unasked.
    Guard,
}

/// One thing that was made less, in the order in which plans are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "less", rename_all = "kebab-case")]
pub enum CutStep {
    Attempts {
        from: u32,
        to: u32,
    },
    /// Pages of one attempt.
    Pages {
        from: u32,
        to: u32,
    },
    /// Pages are taken by rank; no model is asked which.
    ChooseByRule,
    /// Queries of one attempt.
    Queries {
        from: u32,
        to: u32,
    },
    /// Calls of the judge.
    Checks {
        from: u32,
        to: u32,
    },
    /// The model reads at least so many pages; what is left then is quoted by rule.
    ModelReads {
        to: u32,
    },
    /// Not even writing fits: the report is made of quotations.
    NoModel,
    /// Rounds of searching of an inquiry.
    Rounds {
        from: u32,
        to: u32,
    },
    /// Pages of all rounds of an inquiry together.
    PagesInAll {
        from: u32,
        to: u32,
    },
    OutlineRounds {
        from: u32,
        to: u32,
    },
    Sections {
        from: u32,
        to: u32,
    },
    /// Parts of the question that are looked into on their own.
    Lines {
        from: u32,
        to: u32,
    },
}

impl CutStep {
    /// The step from one number to another; none where that is not less.
    pub fn less(from: u32, to: u32, step: fn(u32, u32) -> Self) -> Option<Self> {
        (to < from).then(|| step(from, to))
    }

    fn words(self) -> String {
        match self {
            Self::Attempts { from, to } => format!("{to} of {from} attempts"),
            Self::Pages { from, to } => format!("{to} of {from} pages an attempt"),
            Self::ChooseByRule => "pages chosen by rank".to_owned(),
            Self::Queries { from, to } => format!("{to} of {from} queries an attempt"),
            Self::Checks { from, to } => format!("{to} of {from} calls of the judge"),
            Self::ModelReads { to } => {
                format!("only {to} pages sure to be read by the model, others by rule")
            }
            Self::NoModel => "no model: the report is made of quotations".to_owned(),
            Self::Rounds { from, to } => format!("{to} of {from} rounds"),
            Self::PagesInAll { from, to } => format!("{to} of {from} pages"),
            Self::OutlineRounds { from, to } => format!("{to} of {from} revisions of the outline"),
            Self::Sections { from, to } => format!("{to} of {from} sections"),
            Self::Lines { from, to } => format!("{to} of {from} lines of inquiry"),
        }
    }
}

/// What was left out of a plan, and for which amount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanCut {
    pub cause: CutCause,
    pub to: MicroUsd,
    /// What the whole plan would have cost.
    pub whole: MicroUsd,
    pub steps: Vec<CutStep>,
}

impl PlanCut {
    /// For the plan and the report: what is less, and what would give all of it.
    pub fn sentence(&self) -> String {
        let steps: Vec<String> = self.steps.iter().map(|step| step.words()).collect();
        let cause = match self.cause {
            CutCause::Budget => "the budget",
            CutCause::Guard => "what is spent where no budget is stated (`budget.guard_usd`)",
        };
        format!(
            "The plan was cut to {}, {cause}: {}. All of it would need a budget of about {}.",
            self.to,
            steps.join(", "),
            self.whole
        )
    }

    /// The same in the language of a report; what is less is told in English alone.
    pub fn sentence_in(&self, phrases: &ReportPhrases) -> String {
        let Some(words) = phrases.remarks else { return self.sentence() };
        let told = match self.cause {
            CutCause::Budget => words.notices.cut,
            CutCause::Guard => words.notices.cut_guard,
        };
        told.replace("{to}", &self.to.to_string()).replace("{whole}", &self.whole.to_string())
    }

    pub fn chooses_by_rule(&self) -> bool {
        self.steps.contains(&CutStep::ChooseByRule)
    }
}
