//! Whether claims are checked, who judges them, and how that judge did in its exam.

use probity_research::{
    CodedError,
    checking::{
        ExamRule, JudgePlan, exam,
        judge::question_key,
        standing::{self, below_bar},
    },
    ledger::JudgeExam,
    ports::Journal as _,
};

use super::{DoctorCheck, EVIDENCE};
use crate::{app_context::AppContext, keys::ProviderKeys, planning, settings::Settings};

pub async fn all(settings: &Settings, keys: &ProviderKeys) -> Vec<DoctorCheck> {
    if !settings.checks.enabled {
        return vec![DoctorCheck::warning(
            EVIDENCE,
            "checks",
            "switched off: no claim gets a verdict",
            "`probity config unset checks.enabled`; `probity config get checks.enabled` says where it is set",
        )];
    }
    let mut checks = vec![
        DoctorCheck::fine(EVIDENCE, "checks", "every claim is compared with the stored page"),
        judge(settings, keys),
    ];
    // What is wrong with a judge or a store that cannot be opened is said by their own rows.
    let plan = planning::check_plan(settings, keys, "").ok().flatten();
    let (judge, second) = plan.map_or((None, None), |plan| {
        let plan = *plan;
        (plan.judge, plan.second)
    });
    if let Some(judge) = judge {
        let sat = Box::pin(sat_exam(settings, &judge)).await.unwrap_or_default();
        checks.push(exam_row(&judge, &sat));
    }
    checks.extend(second_judge(settings, second.as_ref()));
    if let Some(second) = second {
        let sat = Box::pin(sat_exam(settings, &second)).await.unwrap_or_default();
        checks.push(second_exam_row(&second, &sat));
    }
    checks
}

/// The second judge, if the settings name one; what is named and does not judge is said.
fn second_judge(settings: &Settings, second: Option<&JudgePlan>) -> Option<DoctorCheck> {
    const ROW: &str = "second judge";
    let named = settings.checks.second_judge.as_ref()?;
    Some(match second {
        Some(second) => DoctorCheck::fine(EVIDENCE, ROW, shown(&second.name)),
        None => DoctorCheck::warning(
            EVIDENCE,
            ROW,
            format!("{} is not asked: nobody judges, or it is the judge itself", shown(named)),
            "name another model than the judge's with `checks.second_judge`",
        ),
    })
}

fn shown(name: &str) -> String {
    probity_research::text::line(name, 80)
}

/// How the judge did, as far as it was asked; a store that is not there yet has no answers.
async fn sat_exam(settings: &Settings, judge: &JudgePlan) -> Result<JudgeExam, CodedError> {
    if judge.exam == ExamRule::Trusted {
        return Ok(JudgeExam::default());
    }
    let Some(app) = AppContext::open_to_read(settings).map_err(|failure| failure.problem)? else {
        return Ok(JudgeExam::default());
    };
    let questions = exam::questions(judge);
    let keys = questions.iter().map(|question| question_key(judge, &question.item)).collect();
    let answers = app.store.recall_answers(keys).await?;
    Ok(exam::score(&questions, &answers, &[]))
}

fn exam_row(judge: &JudgePlan, sat: &JudgeExam) -> DoctorCheck {
    const ROW: &str = "judge's exam";
    let another = "name another model with `checks.judge_model`; until then no claim is called supported";
    if judge.exam == ExamRule::Trusted {
        return DoctorCheck::warning(
            EVIDENCE,
            ROW,
            "not examined: `checks.exam` is `trusted`, and every report says so",
            "`probity config unset checks.exam`",
        );
    }
    if sat.total < exam::ANSWERS_MIN {
        let detail = format!("not sat yet: the first check puts {} questions to it", exam::ITEMS);
        return DoctorCheck::fine(EVIDENCE, ROW, detail);
    }
    match below_bar(judge, sat) {
        Some(why) => DoctorCheck::warning(EVIDENCE, ROW, format!("failed, {}: {why}", sat.line()), another),
        None => {
            let own = JudgePlan { wrote_it: true, ..judge.clone() };
            let limit = match below_bar(&own, sat) {
                Some(_) => {
                    format!("; too few for texts of its own ({} %)", standing::RIGHT_PERCENT_MIN_OWN_TEXT)
                }
                None => String::new(),
            };
            DoctorCheck::fine(EVIDENCE, ROW, format!("passed, {}{limit}", sat.line()))
        }
    }
}

/// The same for the second judge. Without its word, that of the first counts as if there were no second one.
fn second_exam_row(judge: &JudgePlan, sat: &JudgeExam) -> DoctorCheck {
    const ROW: &str = "second judge's exam";
    if judge.exam == ExamRule::Trusted {
        return DoctorCheck::fine(EVIDENCE, ROW, "not examined: `checks.exam` is `trusted`");
    }
    if sat.total < exam::ANSWERS_MIN {
        let detail = format!("not sat yet: the first check puts {} questions to it", exam::ITEMS);
        return DoctorCheck::fine(EVIDENCE, ROW, detail);
    }
    match below_bar(judge, sat) {
        Some(why) => DoctorCheck::warning(
            EVIDENCE,
            ROW,
            format!("failed, {}: {why}", sat.line()),
            "name another model with `checks.second_judge`; until then its word does not count",
        ),
        None => DoctorCheck::fine(EVIDENCE, ROW, format!("passed, {}", sat.line())),
    }
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
        Some(chat) => DoctorCheck::fine(EVIDENCE, "judge", shown(&chat.model)),
        None => DoctorCheck::warning(
            EVIDENCE,
            "judge",
            "none: rules refute and block, but nothing is called supported",
            "probity setup --model-endpoint http://127.0.0.1:11434/v1 --model NAME, or store a Gemini key",
        ),
    }
}
