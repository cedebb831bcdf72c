//! How many claims have which verdict, and how the factual sentences among them stand.

use serde::{Deserialize, Serialize};

use super::{AttentionGroup, Claim, ClaimKind, ClaimVerdict, Verdict};

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
    /// Counted apart: none of them is among `claims`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub inferences: u32,
    /// Of them, those that follow from the claims they rest on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub inferences_follow: u32,
}

impl VerdictTally {
    pub fn of<'a>(settled: impl IntoIterator<Item = (&'a Claim, &'a ClaimVerdict)>) -> Self {
        let mut tally = Self::default();
        for (claim, one) in settled {
            if claim.kind == ClaimKind::Inference {
                tally.inferences += 1;
                tally.inferences_follow += u32::from(one.verdict == Verdict::Follows);
                continue;
            }
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
            // Inferences alone have these two, and they are counted before.
            Verdict::Follows | Verdict::DoesNotFollow | Verdict::NotChecked { .. } => &mut self.not_checked,
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
            .chain(inferences_line(self.inferences, self.inferences_follow))
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
    /// Conclusions from other sentences, counted apart: none of them is among `factual`.
    #[serde(skip_serializing_if = "is_zero")]
    pub inferences: u32,
    /// Of them, those that follow from the claims they rest on.
    #[serde(skip_serializing_if = "is_zero")]
    pub inferences_follow: u32,
}

impl FactTally {
    pub fn add(&mut self, group: AttentionGroup) {
        self.factual += 1;
        if group == AttentionGroup::Restated {
            self.restated += 1;
        }
        *self.place(group) += 1;
    }

    pub fn add_inference(&mut self, group: AttentionGroup) {
        self.inferences += 1;
        self.inferences_follow += u32::from(group == AttentionGroup::Follows);
    }

    fn place(&mut self, group: AttentionGroup) -> &mut u32 {
        match group {
            AttentionGroup::Supported | AttentionGroup::Restated => &mut self.supported,
            AttentionGroup::Contradicted => &mut self.contradicted,
            AttentionGroup::NotInSource => &mut self.not_in_source,
            AttentionGroup::Uncited => &mut self.uncited,
            AttentionGroup::Unreachable => &mut self.unreachable,
            // Inferences alone are in these two groups, and they are counted apart.
            AttentionGroup::Follows | AttentionGroup::DoesNotFollow | AttentionGroup::NotChecked => {
                &mut self.not_checked
            }
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
        let of_inferences = |group: &AttentionGroup| *group == AttentionGroup::DoesNotFollow;
        let short = AttentionGroup::ALL.into_iter().filter(|group| !group.holds() && !of_inferences(group));
        let counted = short.map(|group| (*own.place(group), group.word())).filter(|(count, _)| *count > 0);
        counted.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    }

    pub fn inferences_hold(&self) -> bool {
        self.inferences_follow == self.inferences
    }

    /// `23 of 25 supported, 1 contradicted, 1 uncited, 2 inferences that follow`
    pub fn line(&self) -> String {
        let share = format!("{} of {} supported", self.supported, self.factual);
        let short = Some(self.shortfall()).filter(|short| !short.is_empty());
        let inferences = inferences_line(self.inferences, self.inferences_follow);
        [Some(share), short, inferences].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// `2 inferences that follow`, or how many of them do; none where there are none.
fn inferences_line(all: u32, follow: u32) -> Option<String> {
    let noun = if all == 1 { "inference" } else { "inferences" };
    match (all, follow) {
        (0, _) => None,
        (1, 1) => Some(format!("1 {noun} that follows")),
        (1, _) => Some(format!("1 {noun} that is not shown to follow")),
        (all, follow) if follow == all => Some(format!("{all} {noun} that follow")),
        (all, 0) => Some(format!("{all} {noun} that are not shown to follow")),
        (all, follow) => Some(format!("{all} {noun} of which {follow} follow")),
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::{AttentionGroup, FactTally, VerdictTally};

    #[test]
    fn inferences_are_counted_apart() {
        let mut facts = FactTally::default();
        facts.add(AttentionGroup::Supported);
        facts.add(AttentionGroup::Contradicted);
        assert_eq!(facts.line(), "1 of 2 supported, 1 contradicted");
        facts.add_inference(AttentionGroup::Follows);
        assert_eq!(facts.line(), "1 of 2 supported, 1 contradicted, 1 inference that follows");
        facts.add_inference(AttentionGroup::Follows);
        assert_eq!(facts.line(), "1 of 2 supported, 1 contradicted, 2 inferences that follow");
        facts.add_inference(AttentionGroup::DoesNotFollow);
        assert_eq!((facts.factual, facts.inferences_hold()), (2, false));
        assert_eq!(facts.line(), "1 of 2 supported, 1 contradicted, 3 inferences of which 2 follow");
    }

    #[test]
    fn a_tally_without_inferences_is_stored_as_it_always_was() {
        let stored = serde_json::to_value(VerdictTally::default()).unwrap();
        assert!(stored.get("inferences").is_none());
        assert!(serde_json::to_value(FactTally::default()).unwrap().get("inferences_follow").is_none());
    }
}
