//! The rules of the money gate: what a start sets aside, what a run counts for, whether it fits under a limit,
//! and which two starts are the same. Pure: the store applies them while it holds its write lock.

use probity_types::status::RunSummary;

use crate::{
    cost::{Cost, MicroUsd},
    error::{Code, CodedError},
    id::Digest,
    plan::Plan,
    principal::Principal,
    query::Query,
    time::Moment,
    web::strategy::Strategy,
};

/// The day's limit looks back this far.
const DAY_MS: i64 = 24 * HOUR_MS;
const HOUR_MS: i64 = 3_600_000;

/// What must hold in the store when an entry lets a run spend more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpendingGate {
    /// What all runs of the store may cost within 24 hours; none is without limit.
    pub per_day: Option<MicroUsd>,
    pub repeat: RepeatRule,
}

/// What happens to a start that equals one that is running, or one that may have been billed without anybody knowing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RepeatRule {
    /// It is answered with that one.
    #[default]
    ReturnRunning,
    /// The caller wants another.
    StartAnother,
}

/// The beginning of the day that ends at `now`. A run asked since then counts, and every one that is running.
pub fn day_before(now: Moment) -> Moment {
    now.plus_ms(-DAY_MS)
}

/// Whether `wanted` still fits under `limit`.
pub fn fits(spent: MicroUsd, wanted: MicroUsd, limit: MicroUsd) -> bool {
    spent.plus(wanted) <= limit
}

/// When a start that does not fit under the day's limit will.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayLimitEnd {
    At(Moment),
    /// Not before a run that is going on has ended.
    WhenRunsEnd,
    /// It alone may cost more than the limit.
    Never,
}

impl DayLimitEnd {
    /// As the last part of a refusal.
    pub fn in_words(self) -> String {
        match self {
            Self::At(moment) => format!("it has room again at {moment}"),
            Self::WhenRunsEnd => {
                "it has room again when runs that are going on have ended; those that nobody drives go on with `probity runs \
                 resume`"
                    .to_owned()
            },
            Self::Never => "this alone may cost more than the limit, so waiting does not help".to_owned(),
        }
    }

    /// The same for one of several who share a limit: to the hour, so that nobody learns when another one asked.
    fn in_words_for_guests(self) -> String {
        match self {
            Self::At(moment) => Self::At(Moment((moment.0.div_euclid(HOUR_MS) + 1) * HOUR_MS)).in_words(),
            Self::WhenRunsEnd | Self::Never => "ask again later, or ask for less".to_owned(),
        }
    }
}

/// When `wanted` fits: runs that have ended stop to count one after the other. `ended` are those of the last day with
/// what they count for, oldest first; `spent` has them and those that are running.
pub fn day_limit_end(
    spent: MicroUsd,
    wanted: MicroUsd,
    limit: MicroUsd,
    ended: impl IntoIterator<Item = (Moment, MicroUsd)>,
) -> DayLimitEnd {
    if wanted > limit {
        return DayLimitEnd::Never;
    }
    let mut left = spent;
    for (asked_at, amount) in ended {
        left = left.minus(amount);
        if fits(left, wanted, limit) {
            // The moment itself still counts.
            return DayLimitEnd::At(asked_at.plus_ms(DAY_MS + 1));
        }
    }
    DayLimitEnd::WhenRunsEnd
}

/// Counts for money that was spent by a database of which nobody can tell how much it was: more than any limit, so that
/// one that is set later or raised counts it as well.
pub const UNREADABLE: MicroUsd = MicroUsd(1_000_000_000_000_000);

/// What does not fit under the day's limit. The limit is shared, so only the machine's own user sees how much of it is
/// left, and that of what is `charged` only `spent` is known to be paid; others hear the hour from which there is room again.
pub fn day_limit_reached(
    charged: MicroUsd,
    spent: MicroUsd,
    wanted: MicroUsd,
    limit: MicroUsd,
    end: DayLimitEnd,
    asked_by: Option<&Principal>,
) -> CodedError {
    let reserved = charged.minus(spent);
    let message = match asked_by {
        None if charged >= UNREADABLE => format!(
            "the day's limit is reached: budget.per_day_usd is {limit} for 24 hours, and what was spent of it before the \
             database was lost cannot be read, so all of it counts as spent; {}",
            end.in_words()
        ),
        None => format!(
            "the day's limit is reached: budget.per_day_usd is {limit} for 24 hours, {spent} is spent, {reserved} is \
             reserved for runs that go on or whose cost is unknown, and this may cost {wanted} more; {}",
            end.in_words()
        ),
        Some(_) => format!(
            "the day's limit is reached: what this server may spend in 24 hours does not carry {wanted} more; {}",
            end.in_words_for_guests()
        ),
    };
    CodedError::new(Code::DayLimit, &message)
}

/// The most that a run of this plan may cost.
pub fn highest_price(plan: &Plan) -> MicroUsd {
    let expected = plan.estimate.map_or(MicroUsd(0), |estimate| estimate.cost_max);
    let judged = plan.checks.as_ref().map_or(MicroUsd(0), |checks| checks.price_per_call());
    let is_paid = expected > MicroUsd(0) || judged > MicroUsd(0);
    let most = match &plan.web {
        // What the question is worth is its budget, of which the judge has its share.
        Some(web) if is_paid => expected.max(web.strategy.budget),
        Some(_) | None => expected,
    };
    match (plan.limits.budget, &plan.rounds) {
        (None, _) => most,
        (Some(budget), _) if plan.web.is_some() || plan.given.is_some() => most.min(budget),
        // The first round is made whatever the budget is; later ones only if they fit.
        (Some(budget), Some(rounds)) => {
            let first = MicroUsd(expected.0.div_ceil(u64::from(rounds.rounds_max.max(1))));
            most.min(budget.max(first))
        }
        // An agent's bill is known only as far as its provider has counted: a budget may stop it too late.
        (Some(_), None) => most,
    }
}

/// The plan of a run under a limit: it may spend what it set aside, and no more.
pub fn within_reservation(mut plan: Plan) -> Plan {
    let most = highest_price(&plan);
    plan.limits.budget = Some(plan.limits.budget.map_or(most, |budget| budget.min(most)));
    plan
}

/// What a run counts for: its counted cost once it ended, until then no less than it set aside.
pub fn charge(summary: &RunSummary) -> MicroUsd {
    let expected = summary.estimate.map_or(MicroUsd(0), |estimate| estimate.cost_max);
    let reserved = summary.reserved.unwrap_or(expected);
    match (summary.cost, summary.status.is_final()) {
        (Cost::FromUsage(counted), true) => counted,
        (Cost::Nothing, true) => MicroUsd(0),
        (Cost::FromUsage(counted) | Cost::AtLeast(counted), _) => counted.max(reserved),
        (Cost::Unknown | Cost::Nothing, _) => reserved,
    }
}

/// The same for several runs.
pub fn charges<'a>(summaries: impl IntoIterator<Item = &'a RunSummary>) -> MicroUsd {
    summaries.into_iter().fold(MicroUsd(0), |sum, summary| sum.plus(charge(summary)))
}

/// Two starts with one key are the same: the same question by the same caller, to be answered in the same way.
/// Limits, prices and approvals are no part of it: what was asked for does not change with them.
pub fn start_key(query: &Query, plan: &Plan) -> Digest {
    let mut plan = plan.clone();
    plan.estimate = None;
    plan.approval = None;
    plan.asked_with = None;
    plan.handed_over = false;
    plan.limits = crate::plan::RunLimits::new(std::time::Duration::ZERO, None);
    plan.notify = crate::plan::Notify::default();
    if let Some(web) = &mut plan.web {
        web.prices = crate::web::plan::WebCallPrices::default();
        // What was cut follows from money; level and hints say what was asked for.
        web.strategy = Strategy::of(web.strategy.level, "");
        web.cut = None;
        // What it begins with follows from the research that it continues, and from the question.
        web.parent = web.parent.take().map(|bank| Box::new(bank.key_part()));
        if let Some(inquiry) = &mut web.inquiry {
            inquiry.prices.clear();
        }
    }
    if let Some(checks) = &mut plan.checks {
        let judges = [checks.judge.as_mut(), checks.second.as_mut()];
        judges.into_iter().flatten().for_each(|judge| judge.price = MicroUsd(0));
    }
    // Plain data without maps of unordered keys: it is always written, and always in the same way.
    let plan = serde_json::to_vec(&plan).unwrap_or_default();
    // A second space makes no other question, and must not pay for one.
    let words: Vec<&str> = query.as_str().split_whitespace().collect();
    let question = words.join(" ");
    let mut hasher = blake3::Hasher::new_derive_key("probity start 1");
    for part in [question.as_bytes(), plan.as_slice()] {
        hasher.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(part);
    }
    Digest(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests;
