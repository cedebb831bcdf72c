//! Ends and updates: this program's version, and when the provider retires what is in use.

use jiff::civil::Date;
use probity_research::model::{self, DEFAULT_MODEL, ModelName};

use super::{DoctorCheck, UPDATES};
use crate::{release, settings::Settings};

/// An end this near should be planned for: two months are a few releases.
const RETIRES_WITHIN_DAYS: i32 = 60;
/// When the provider's announcements were read that the table of retirements is made from.
const RETIREMENTS_READ_ON: &str = "2026-11-14";
/// Models come and go within months: an older table says little.
const TABLE_DAYS_MAX: i32 = 180;

/// `today` is `YYYY-MM-DD`.
pub fn all(settings: &Settings, today: &str) -> Vec<DoctorCheck> {
    let version = format!("{}; it never looks for a newer one by itself", release::VERSION);
    let mut checks = vec![DoctorCheck::fine(UPDATES, "version", version)];
    let names = used(settings);
    let ends: Vec<DoctorCheck> = names.iter().filter_map(|name| retirement(name, today)).collect();
    if ends.is_empty() {
        let detail = format!("no end is near for {} (table of {RETIREMENTS_READ_ON})", names.join(", "));
        checks.push(DoctorCheck::fine(UPDATES, "retirements", detail));
    }
    checks.extend(ends);
    checks.extend(age(today));
    checks
}

fn used(settings: &Settings) -> Vec<String> {
    let mut names = vec![settings.agent.as_str().to_owned(), DEFAULT_MODEL.to_owned()];
    names.extend(settings.agents.iter().cloned());
    let models = [&settings.rounds.model, &settings.rounds.correction_model];
    names.extend(models.into_iter().flatten().map(ModelName::to_string));
    names.sort();
    names.dedup();
    names
}

fn retirement(name: &str, today: &str) -> Option<DoctorCheck> {
    let known = model::retirement(name)?;
    let days = days_between(today, known.on)?;
    if days > RETIRES_WITHIN_DAYS {
        return None;
    }
    let detail = match days {
        ..=0 => format!("{name} was retired on {}", known.on),
        days => format!("{name} is retired on {}, in {days} days", known.on),
    };
    Some(DoctorCheck::warning(UPDATES, "retirements", detail, format!("use {} instead", known.instead)))
}

fn age(today: &str) -> Option<DoctorCheck> {
    let days = days_between(RETIREMENTS_READ_ON, today)?;
    (days > TABLE_DAYS_MAX).then(|| {
        DoctorCheck::warning(
            UPDATES,
            "table",
            format!("what is known of models is {days} days old"),
            "install a newer Probity: `probity update`",
        )
    })
}

fn days_between(from: &str, to: &str) -> Option<i32> {
    let (from, to): (Date, Date) = (from.parse().ok()?, to.parse().ok()?);
    Some(from.until(to).ok()?.get_days())
}

#[cfg(test)]
mod tests {
    use super::{age, retirement};

    #[test]
    fn an_end_is_warned_of_two_months_ahead_and_after_it() {
        let told = |today| retirement("antigravity-preview-05-2026", today).map(|check| check.detail);
        assert_eq!(told("2026-08-01"), None);
        let soon = "antigravity-preview-05-2026 is retired on 2026-10-05, in 25 days";
        assert_eq!(told("2026-09-10").as_deref(), Some(soon));
        let over = "antigravity-preview-05-2026 was retired on 2026-10-05";
        assert_eq!(told("2026-11-15").as_deref(), Some(over));
        assert!(retirement("gemini-3.8-flash", "2026-11-15").is_none());
    }

    #[test]
    fn an_old_table_is_told() {
        assert!(age("2026-12-01").is_none());
        let told = age("2027-11-14").map(|check| check.detail);
        assert_eq!(told.as_deref(), Some("what is known of models is 365 days old"));
    }
}
