//! The calls of the second research engine to a model: prompt, answer, and what is tried when an answer cannot be read.
//!
//! An answer is mended here, asked for once more with what was wrong, then asked for in plain lines; after that the call
//! failed, and the rules have their own way on. Never looks at a page, an address or the state of the run.

mod answer;
pub(crate) mod json;
mod lines;
mod prompt;
#[cfg(test)]
mod sample;
mod schema;

use std::time::Duration;

use probity_models::{
    Transport,
    chat::{ChatCall, ChatClient, ChatError},
};
use probity_research::{
    error::{Code, CodedError},
    inquiry::window,
    web::{
        Bill, BillBasis,
        plan::WebPlan,
        task::{WebCall, WebRequest, WebTaskOutput},
    },
};

use crate::{
    prompts::{PromptName, Prompts},
    web::WebEngine,
};
use json::FoundObject;
use schema::InquiryCallKind;

/// One call of a hosted model.
const CALL_TIME_MAX: Duration = Duration::from_secs(180);
/// A small model on this machine reads a few dozen tokens a second.
const LOCAL_CALL_TIME_MAX: Duration = Duration::from_secs(600);

/// How an answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerForm {
    Json,
    /// With what was wrong with the first one.
    JsonAgain,
    /// JSON failed twice.
    Lines,
}

impl AnswerForm {
    const IN_ORDER: [Self; 3] = [Self::Json, Self::JsonAgain, Self::Lines];

    /// What stands below the prompt.
    fn request(self, kind: InquiryCallKind, problem: &str) -> String {
        match self {
            Self::Json => String::new(),
            Self::JsonAgain => format!(
                "\n\nYour last answer could not be used: {problem}. Answer again, with one JSON object of the described \
                 shape and nothing around it."
            ),
            Self::Lines => format!(
                "\n\nYour last answers could not be read as JSON. Write no JSON this time. Write the answer `{}` as plain \
                 lines, one item per line, in these forms and no others:\n{}\n",
                kind.name(),
                lines::forms(kind)
            ),
        }
    }
}

impl<T: Transport> WebEngine<T> {
    /// Whoever is asked for a task: the model of its role, or the one model.
    fn model_of(&self, call: &WebCall) -> Option<&ChatClient<T>> {
        self.roles.of(&call.task).or(self.chat.as_ref())
    }

    pub(crate) async fn inquire(
        &self,
        prompts: &Prompts,
        plan: &WebPlan,
        call: &WebCall,
    ) -> (WebTaskOutput, Bill) {
        let (Some(chat), Some(kind)) = (self.model_of(call), InquiryCallKind::of(&call.ask)) else {
            let problem = CodedError::new(Code::KeyMissing, "no chat model is configured any more");
            return (WebTaskOutput::Failed(problem), Bill::NOTHING);
        };
        let prompt = prompt::fill_inquiry_prompt(prompts, &call.ask);
        let room = plan.inquiry.as_ref().map_or(u32::MAX, |inquiry| window::answer_tokens(inquiry.window));
        let mut bill = Bill::NOTHING;
        let mut problem = CodedError::new(Code::UnusableAnswer, "the answer is empty");
        for form in AnswerForm::IN_ORDER {
            let asked = ChatCall {
                system: prompts.text(PromptName::WebSystem).to_owned(),
                user: format!("{prompt}{}", form.request(kind, &problem.message)),
                schema: (form != AnswerForm::Lines).then(|| kind.schema()),
                schema_name: kind.name(),
                output_tokens_max: schema::output_tokens_max(&call.ask).min(room),
                deadline: if chat.is_local() { LOCAL_CALL_TIME_MAX } else { CALL_TIME_MAX },
            };
            let said = match Box::pin(chat.ask_or_cut(asked)).await {
                Ok(reply) => {
                    bill = together(bill, reply.bill);
                    SaidText { text: reply.text, cut: reply.cut }
                }
                Err(ChatError { problem: refused, bill: more }) => {
                    bill = together(bill, more);
                    if is_worth_repeating(&refused) {
                        problem = refused;
                        continue;
                    }
                    return (WebTaskOutput::Failed(refused), bill);
                }
            };
            match read(form, &call.ask, &said) {
                Ok(output) => return (output, bill),
                Err(why) => problem = CodedError::new(Code::UnusableAnswer, &why),
            }
            tracing::debug!(task = ?call.task, ?form, why = %problem.message, "the answer cannot be used");
        }
        (WebTaskOutput::Failed(problem), bill)
    }
}

/// What a model wrote, and whether it ended at its limit.
struct SaidText {
    text: String,
    cut: bool,
}

fn read(form: AnswerForm, ask: &WebRequest, said: &SaidText) -> Result<WebTaskOutput, String> {
    let found = match (form, json::find_object(&said.text)) {
        (_, Ok(FoundObject { value, cut })) => FoundObject { value, cut: cut || said.cut },
        (AnswerForm::Lines, Err(_)) => match lines::read_lines(ask, &said.text) {
            Some(value) => FoundObject { value, cut: said.cut },
            None => return Err("no line has one of the forms".to_owned()),
        },
        (AnswerForm::Json | AnswerForm::JsonAgain, Err(why)) => return Err(why.to_string()),
    };
    answer::read_object(ask, &found).map_err(str::to_owned)
}

/// An answer came and says nothing; everything else is for the rules, which know when to ask again.
fn is_worth_repeating(problem: &CodedError) -> bool {
    matches!(problem.code, Code::UnusableAnswer | Code::Incomplete)
}

/// The bill of one task whose answer took several calls.
fn together(first: Bill, second: Bill) -> Bill {
    let cost = first.cost.plus(second.cost);
    let basis = match (first.basis, second.basis) {
        (BillBasis::Nothing, other) | (other, BillBasis::Nothing) => other,
        (BillBasis::Counted, BillBasis::Counted) => BillBasis::Counted,
        (BillBasis::Unknown, BillBasis::Unknown) => BillBasis::Unknown,
        (BillBasis::Counted | BillBasis::AtLeast | BillBasis::Unknown, _) => BillBasis::AtLeast,
    };
    Bill { basis, cost, usage: first.usage.plus(&second.usage) }
}

#[cfg(test)]
mod tests;
