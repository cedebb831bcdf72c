//! Claims by the attention they need: what is wrong first, what holds last. Every list, file and screen groups by this.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Claim, ClaimId, ClaimKind, ClaimVerdict, Ledger, NotCheckedReason, Verdict, verification};

/// In the order in which a reader should look at them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttentionGroup {
    Contradicted,
    NotInSource,
    /// An inference that does not follow from the claims it rests on.
    DoesNotFollow,
    Uncited,
    Unreachable,
    /// Nobody judged it, or it could not be computed.
    NotChecked,
    CheckFailed,
    Partly,
    Qualified,
    /// Supported by one origin while another source disagrees.
    Contested,
    Quoted,
    /// Uncited, and says only what supported claims of the report say.
    Restated,
    /// An inference that follows from the claims it rests on.
    Follows,
    Supported,
}

impl AttentionGroup {
    pub const ALL: [Self; 14] = [
        Self::Contradicted,
        Self::NotInSource,
        Self::DoesNotFollow,
        Self::Uncited,
        Self::Unreachable,
        Self::NotChecked,
        Self::CheckFailed,
        Self::Partly,
        Self::Qualified,
        Self::Contested,
        Self::Quoted,
        Self::Restated,
        Self::Follows,
        Self::Supported,
    ];

    pub fn of(settled: &ClaimVerdict, is_contested: bool, is_restated: bool) -> Self {
        match &settled.verdict {
            Verdict::Contradicted => Self::Contradicted,
            Verdict::NotInSource => Self::NotInSource,
            Verdict::Follows => Self::Follows,
            Verdict::DoesNotFollow => Self::DoesNotFollow,
            Verdict::Partly => Self::Partly,
            Verdict::Qualified => Self::Qualified,
            Verdict::Quoted => Self::Quoted,
            Verdict::Supported if is_contested => Self::Contested,
            Verdict::Supported => Self::Supported,
            Verdict::CheckFailed { .. } => Self::CheckFailed,
            Verdict::NotChecked { why } => match why {
                NotCheckedReason::Uncited if is_restated => Self::Restated,
                NotCheckedReason::Uncited => Self::Uncited,
                NotCheckedReason::Unreachable => Self::Unreachable,
                NotCheckedReason::OwnWords
                | NotCheckedReason::Question
                | NotCheckedReason::NoJudge
                | NotCheckedReason::Budget
                | NotCheckedReason::Deadline
                | NotCheckedReason::Limit
                | NotCheckedReason::NotComputable => Self::NotChecked,
            },
        }
    }

    /// Whether a sentence of this group stands.
    pub fn holds(self) -> bool {
        match self {
            Self::Supported | Self::Restated | Self::Follows => true,
            Self::Contradicted
            | Self::NotInSource
            | Self::DoesNotFollow
            | Self::Uncited
            | Self::Unreachable
            | Self::NotChecked
            | Self::CheckFailed
            | Self::Partly
            | Self::Qualified
            | Self::Contested
            | Self::Quoted => false,
        }
    }

    /// Whether a source was read and does not bear it out, or an inference does not follow.
    fn is_refused(self) -> bool {
        match self {
            Self::Contradicted | Self::NotInSource | Self::DoesNotFollow | Self::Partly | Self::Qualified => {
                true
            }
            Self::Uncited
            | Self::Unreachable
            | Self::NotChecked
            | Self::CheckFailed
            | Self::Contested
            | Self::Quoted
            | Self::Restated
            | Self::Follows
            | Self::Supported => false,
        }
    }

    /// As counted: `1 contradicted, 2 uncited`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Contradicted => "contradicted",
            Self::NotInSource => "not in source",
            Self::DoesNotFollow => "does not follow",
            Self::Uncited => "uncited",
            Self::Unreachable => "unreachable",
            Self::NotChecked => "not checked",
            Self::CheckFailed => "check failed",
            Self::Partly => "partly",
            Self::Qualified => "qualified",
            Self::Contested => "contested",
            Self::Quoted => "quoted",
            Self::Restated => "restated",
            Self::Follows => "follows",
            Self::Supported => "supported",
        }
    }

    /// As in JSON and in names of rules.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotInSource => "not-in-source",
            Self::DoesNotFollow => "does-not-follow",
            Self::NotChecked => "not-checked",
            Self::CheckFailed => "check-failed",
            Self::Contradicted
            | Self::Uncited
            | Self::Unreachable
            | Self::Partly
            | Self::Qualified
            | Self::Contested
            | Self::Quoted
            | Self::Restated
            | Self::Follows
            | Self::Supported => self.word(),
        }
    }

    /// The heading of its list.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Contradicted => "Contradicted by their source",
            Self::NotInSource => "Not in their source",
            Self::DoesNotFollow => "Inferences that do not follow from the claims they rest on",
            Self::Uncited => "Cite nothing",
            Self::Unreachable => "Cite a page that could not be read",
            Self::NotChecked => "Not checked",
            Self::CheckFailed => "The check did not work",
            Self::Partly => "Only partly supported",
            Self::Qualified => "True with a reservation that they leave out",
            Self::Contested => "Supported by one origin, and another source disagrees",
            Self::Quoted => "Quoted word for word, the rest not judged",
            Self::Restated => "Cite nothing, and say only what supported sentences say",
            Self::Follows => "Inferences that follow from the claims they rest on",
            Self::Supported => "Supported",
        }
    }
}

impl Claim {
    /// Whether it states something that a source can say: such sentences are counted. Inferences are counted apart.
    pub fn is_factual(&self) -> bool {
        match self.kind {
            ClaimKind::Fact | ClaimKind::Derived => true,
            ClaimKind::Inference | ClaimKind::OwnWords | ClaimKind::Question => false,
        }
    }
}

impl Ledger {
    /// Whether it only says again what another factual claim says, which counts in its place.
    pub fn is_repeat(&self, claim: &Claim) -> bool {
        let first = claim.repeats.filter(|id| *id != claim.id).and_then(|id| self.claim(id));
        first.is_some_and(|first| first.is_factual() && first.repeats.is_none())
    }

    /// The group of every claim, in the order of the claims; none for what a reader need not look at: own words and
    /// questions without a source, and repeats that their own source does not refuse.
    pub fn attention(&self) -> Vec<Option<AttentionGroup>> {
        let contested: BTreeSet<ClaimId> = verification::contested(self).collect();
        let restated: BTreeSet<ClaimId> =
            self.verification.iter().flat_map(|result| &result.restated).map(|one| one.claim).collect();
        let group = |claim: &Claim| {
            let settled = self.verdict(claim.id)?;
            let is_contested = contested.contains(&claim.id) && !verification::has_origins(settled);
            Some(AttentionGroup::of(settled, is_contested, restated.contains(&claim.id)))
        };
        let listed = |claim: &Claim| {
            let found = group(claim).filter(|_| claim.is_checkable())?;
            (found.is_refused() || !self.is_repeat(claim)).then_some(found)
        };
        self.claims.iter().map(listed).collect()
    }
}
