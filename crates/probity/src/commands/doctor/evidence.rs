//! Whether claims are checked, and who judges them.

use super::{DoctorCheck, EVIDENCE};
use crate::{keys::ProviderKeys, planning, settings::Settings};

pub fn all(settings: &Settings, keys: &ProviderKeys) -> Vec<DoctorCheck> {
    if !settings.checks.enabled {
        return vec![DoctorCheck::warning(
            EVIDENCE,
            "checks",
            "switched off: no claim gets a verdict",
            "unset `checks.enabled`; `probity config show --origin` says where it is set",
        )];
    }
    vec![
        DoctorCheck::fine(EVIDENCE, "checks", "every claim is compared with the stored page"),
        judge(settings, keys),
    ]
}

fn judge(settings: &Settings, keys: &ProviderKeys) -> DoctorCheck {
    if let Some(local) = planning::local_judge(settings) {
        let missing = [&local.program, &local.weights].into_iter().find(|path| !path.exists());
        return match missing {
            None => {
                DoctorCheck::fine(EVIDENCE, "judge", format!("{} on this machine", local.program.display()))
            }
            Some(path) => DoctorCheck::failed(
                EVIDENCE,
                "judge",
                format!("{} is not there", path.display()),
                "look at `checks.judge_program` and `checks.judge_weights` in `probity config show --origin`",
            ),
        };
    }
    match planning::judge_settings(settings, keys) {
        Some(chat) => DoctorCheck::fine(EVIDENCE, "judge", probity_research::text::line(&chat.model, 80)),
        None => DoctorCheck::warning(
            EVIDENCE,
            "judge",
            "none: rules refute and block, but nothing is called supported",
            "probity setup --model-endpoint http://127.0.0.1:11434/v1 --model NAME, or store a Gemini key",
        ),
    }
}
