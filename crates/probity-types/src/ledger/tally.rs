//! How many claims have which verdict, and how the factual sentences among them stand.

use serde::{Deserialize, Serialize};

use super::{AttentionGroup, ClaimVerdict, Verdict};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VerdictTally {
    pub claims: u32,
    pub supported: u32,
    pub quoted: u32,
    pub partly: u32,
    pub qualified: u32,
    pub contradicted: u32,
    pub not_in_source: u32,
    pub not_checked: u32,
    pub check_failed: u32,
}

impl VerdictTally {
    pub fn of<'a>(settled: impl IntoIterator<Item = &'a ClaimVerdict>) -> Self {
        let mut tally = Self::default();
        for one in settled {
            tally.claims += 1;
            *tally.place(&one.verdict) += 1;
        }
        tally
    }

    fn place(&mut self, verdict: &Verdict) -> &mut u32 {
        match verdict {
            Verdict::Supported => &mut self.supported,
            Verdict::Quoted => &mut self.quoted,
            Verdict::Partly => &mut self.partly,
            Verdict::Qualified => &mut self.qualified,
            Verdict::Contradicted => &mut self.contradicted,
            Verdict::NotInSource => &mut self.not_in_source,
            Verdict::NotChecked { .. } => &mut self.not_checked,
            Verdict::CheckFailed { .. } => &mut self.check_failed,
        }
    }

    /// `12 claims: 7 supported, 2 quoted, 3 not checked`; verdicts without a claim are left out.
    pub fn line(&self) -> String {
        let counts = [
            (self.supported, "supported"),
            (self.quoted, "quoted"),
            (self.partly, "partly"),
            (self.qualified, "qualified"),
            (self.contradicted, "contradicted"),
            (self.not_in_source, "not in source"),
            (self.not_checked, "not checked"),
            (self.check_failed, "check failed"),
        ];
        let parts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let noun = if self.claims == 1 { "claim" } else { "claims" };
        match parts.is_empty() {
            true => format!("{} {noun}", self.claims),
            false => format!("{} {noun}: {}", self.claims, parts.join(", ")),
        }
    }
}

/// How the factual sentences of a report stand, each counted once: the fraction behind `verified`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FactTally {
    pub factual: u32,
    /// With those that only say again what supported ones say.
    pub supported: u32,
    /// Uncited, and say only what supported ones say.
    pub restated: u32,
    pub contradicted: u32,
    pub not_in_source: u32,
    pub uncited: u32,
    pub unreachable: u32,
    pub not_checked: u32,
    pub check_failed: u32,
    pub partly: u32,
    pub qualified: u32,
    /// Supported by one origin while another source disagrees.
    pub contested: u32,
    pub quoted: u32,
}

impl FactTally {
    pub fn add(&mut self, group: AttentionGroup) {
        self.factual += 1;
        if group == AttentionGroup::Restated {
            self.restated += 1;
        }
        *self.place(group) += 1;
    }

    fn place(&mut self, group: AttentionGroup) -> &mut u32 {
        match group {
            AttentionGroup::Supported | AttentionGroup::Restated => &mut self.supported,
            AttentionGroup::Contradicted => &mut self.contradicted,
            AttentionGroup::NotInSource => &mut self.not_in_source,
            AttentionGroup::Uncited => &mut self.uncited,
            AttentionGroup::Unreachable => &mut self.unreachable,
            AttentionGroup::NotChecked => &mut self.not_checked,
            AttentionGroup::CheckFailed => &mut self.check_failed,
            AttentionGroup::Partly => &mut self.partly,
            AttentionGroup::Qualified => &mut self.qualified,
            AttentionGroup::Contested => &mut self.contested,
            AttentionGroup::Quoted => &mut self.quoted,
        }
    }

    pub fn all_hold(&self) -> bool {
        self.factual > 0 && self.supported == self.factual
    }

    /// What keeps it from the whole: `1 contradicted, 1 uncited`; empty where everything holds.
    pub fn shortfall(&self) -> String {
        let mut own = *self;
        let short = AttentionGroup::ALL.into_iter().filter(|group| !group.holds());
        let counted = short.map(|group| (*own.place(group), group.word())).filter(|(count, _)| *count > 0);
        counted.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    }

    /// `23 of 25 supported, 1 contradicted, 1 uncited`
    pub fn line(&self) -> String {
        let share = format!("{} of {} supported", self.supported, self.factual);
        match self.shortfall() {
            short if short.is_empty() => share,
            short => format!("{share}, {short}"),
        }
    }
}
