//! The second judge of a text: asked about what the first one calls supported, so that nobody's word stands alone.
//!
//! Only values and their words. Whom to ask, and whether it counts, are rules of checking; its opinions are checks like
//! all others.

use serde::{Deserialize, Serialize};

use super::{JudgeExam, JudgeStanding};
use crate::text;

const NAME_CHARACTERS_MAX: usize = 80;
const DOUBT_CHARACTERS_MAX: usize = 120;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SecondJudge {
    pub name: String,
    /// Its word counts if it is trusted and nothing speaks against it.
    #[serde(default, skip_serializing_if = "JudgeStanding::is_trusted")]
    pub standing: JudgeStanding,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exam: Option<JudgeExam>,
    /// Why its word does not count, as half a sentence; none where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// Claims that the first judge calls supported.
    pub asked: u32,
    /// Those of them that this one calls supported too.
    pub agreed: u32,
    /// Those of which it says something else.
    pub disputed: u32,
    /// The first judge wrote the text and is below the bar of such a judge: its word counts only where this one agrees.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_needed: bool,
}

impl SecondJudge {
    /// `second judge m (38 of 40 in the exam) agrees on 7 of 8 claims and disputes 1`
    pub fn line(&self) -> String {
        let name = text::line(&self.name, NAME_CHARACTERS_MAX);
        let record = self.exam.map(|exam| exam.line());
        if let Some(doubt) = &self.doubt {
            let doubt = text::line(doubt, DOUBT_CHARACTERS_MAX);
            let record = record.map(|record| format!(" ({record})")).unwrap_or_default();
            return format!("second judge {name} did not count: {doubt}{record}");
        }
        let record = record.unwrap_or_else(|| "trusted by the settings without an exam".to_owned());
        let noun = if self.asked == 1 { "claim" } else { "claims" };
        let disputed = match self.disputed {
            0 => String::new(),
            more => format!(" and disputes {more}"),
        };
        format!("second judge {name} ({record}) agrees on {} of {} {noun}{disputed}", self.agreed, self.asked)
    }
}

#[cfg(test)]
mod tests {
    use super::SecondJudge;
    use crate::ledger::{JudgeExam, JudgeStanding};

    fn second() -> SecondJudge {
        let exam = JudgeExam { right: 39, total: 40, ..JudgeExam::default() };
        SecondJudge {
            name: "m".to_owned(),
            exam: Some(exam),
            asked: 8,
            agreed: 7,
            disputed: 1,
            ..Default::default()
        }
    }

    #[test]
    fn it_is_told_with_its_exam_and_what_it_said() {
        assert_eq!(
            second().line(),
            "second judge m (39 of 40 in the exam) agrees on 7 of 8 claims and disputes 1"
        );
        let alone = SecondJudge { exam: None, asked: 1, agreed: 1, disputed: 0, ..second() };
        assert_eq!(
            alone.line(),
            "second judge m (trusted by the settings without an exam) agrees on 1 of 1 claim"
        );
        let failed = SecondJudge {
            standing: JudgeStanding::Failed,
            doubt: Some("the exam asks for 85 % right answers".to_owned()),
            ..second()
        };
        assert_eq!(
            failed.line(),
            "second judge m did not count: the exam asks for 85 % right answers (39 of 40 in the exam)"
        );
    }
}
