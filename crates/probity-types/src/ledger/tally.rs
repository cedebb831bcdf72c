//! How many claims have which verdict.

use serde::{Deserialize, Serialize};

use super::{ClaimVerdict, Verdict};

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
