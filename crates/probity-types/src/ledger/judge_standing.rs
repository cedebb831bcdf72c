//! What is known of a judge: how it did in the exam, and with claims of this report whose truth was known beforehand.
//!
//! Only values and their arithmetic. The questions of the exam and the bar are rules of checking.

use serde::{Deserialize, Serialize};

/// Whether a judge's `supported` may count as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeStanding {
    /// It passed, or the user trusts it without an exam; ledgers from before there was one.
    #[default]
    Trusted,
    /// An exam is required and was not sat: no money, no time, or no answers.
    Unexamined,
    /// It sat the exam, or was asked about known claims, and is below the bar.
    Failed,
}

impl JudgeStanding {
    pub fn is_trusted(&self) -> bool {
        match self {
            Self::Trusted => true,
            Self::Unexamined | Self::Failed => false,
        }
    }

    /// As readers are told it: a judge that passed its exam is not one that is trusted without.
    pub fn word(self, exam: Option<JudgeExam>) -> &'static str {
        match self {
            Self::Trusted if exam.is_some_and(|exam| exam.total > 0) => "passed",
            Self::Trusted => "trusted",
            Self::Unexamined => "unexamined",
            Self::Failed => "failed",
        }
    }
}

/// Right answers of a judge: in the exam, and about known claims that were hidden among those of this report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JudgeExam {
    pub right: u32,
    /// Zero: the exam was not sat.
    pub total: u32,
    pub controls_right: u32,
    pub controls_total: u32,
    /// Questions of the exam whose claim does not follow and that it called supported.
    pub false_support: u32,
    /// Known claims of this report that do not follow, and those of them that it called supported. Zero in ledgers from
    /// before they were counted apart.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub false_controls: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub false_controls_passed: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl JudgeExam {
    /// The share of right answers that is certain, in percent: the lower end of the interval that holds the true share
    /// in 95 of 100 cases (Wilson). None if nothing was measured.
    pub fn certain_percent(&self) -> Option<u8> {
        /// Standard deviations on either side of such an interval.
        const DEVIATIONS: f64 = 1.96;
        let total = self.total.saturating_add(self.controls_total);
        if total == 0 {
            return None;
        }
        let count = f64::from(total);
        let share = f64::from(self.right.saturating_add(self.controls_right).min(total)) / count;
        let square = DEVIATIONS * DEVIATIONS;
        let middle = share + square / (2.0 * count);
        let width = DEVIATIONS * (share * (1.0 - share) / count + square / (4.0 * count * count)).sqrt();
        let lower = (middle - width) / (1.0 + square / count) * 100.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=100")]
        let percent = lower.clamp(0.0, 100.0).floor() as u8;
        Some(percent)
    }

    /// `called 1 of 1 known false claims supported`
    pub fn controls_in_words(&self) -> String {
        format!(
            "called {} of {} known false claims supported",
            self.false_controls_passed, self.false_controls
        )
    }

    /// The same as what speaks against the judge.
    pub fn controls_doubt(&self) -> String {
        format!("it {}", self.controls_in_words())
    }

    /// `38 of 40 in the exam, 11 of 11 controls in this report`
    pub fn line(&self) -> String {
        let exam = match self.total {
            0 => "not examined".to_owned(),
            total => format!("{} of {total} in the exam", self.right),
        };
        match self.controls_total {
            0 => exam,
            total => format!("{exam}, {} of {total} controls in this report", self.controls_right),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{JudgeExam, JudgeStanding};

    fn exam(right: u32, total: u32, controls: (u32, u32)) -> JudgeExam {
        let (controls_right, controls_total) = controls;
        JudgeExam { right, total, controls_right, controls_total, ..JudgeExam::default() }
    }

    #[test]
    fn what_is_certain_grows_with_the_questions_and_falls_with_the_errors() {
        assert_eq!(exam(0, 0, (0, 0)).certain_percent(), None);
        assert_eq!(exam(40, 40, (0, 0)).certain_percent(), Some(91));
        assert_eq!(exam(38, 40, (11, 11)).certain_percent(), Some(86));
        assert_eq!(exam(0, 0, (1, 1)).certain_percent(), Some(20));
        assert_eq!(exam(10, 40, (0, 0)).certain_percent(), Some(14));
    }

    #[test]
    fn both_measurements_are_said() {
        assert_eq!(exam(38, 40, (11, 11)).line(), "38 of 40 in the exam, 11 of 11 controls in this report");
        assert_eq!(exam(38, 40, (0, 0)).line(), "38 of 40 in the exam");
        assert_eq!(exam(0, 0, (2, 2)).line(), "not examined, 2 of 2 controls in this report");
    }

    #[test]
    fn who_passed_is_told_from_who_is_trusted_without_an_exam() {
        let word = |standing: JudgeStanding, exam| standing.word(exam);
        assert_eq!(word(JudgeStanding::Trusted, Some(exam(38, 40, (1, 1)))), "passed");
        assert_eq!(word(JudgeStanding::Trusted, Some(exam(0, 0, (1, 1)))), "trusted");
        assert_eq!(word(JudgeStanding::Trusted, None), "trusted");
        assert_eq!(word(JudgeStanding::Failed, Some(exam(38, 40, (0, 1)))), "failed");
        assert_eq!(word(JudgeStanding::Unexamined, None), "unexamined");
    }

    #[test]
    fn known_false_claims_are_counted_apart_and_older_ledgers_stay_as_they_are() {
        let passed = JudgeExam { false_controls: 2, false_controls_passed: 1, ..exam(38, 40, (1, 2)) };
        assert_eq!(passed.controls_in_words(), "called 1 of 2 known false claims supported");
        let written = serde_json::to_value(exam(38, 40, (1, 2))).unwrap();
        assert!(written.get("false_controls").is_none() && written.get("false_controls_passed").is_none());
        assert_eq!(serde_json::from_value::<JudgeExam>(written).unwrap(), exam(38, 40, (1, 2)));
    }
}
