//! One file per page: asks the house, puts what it says into a template.

pub(crate) mod claims;
pub(crate) mod costs;
pub(crate) mod library;
pub(crate) mod research;
pub(crate) mod settings;
pub(crate) mod start;
pub(crate) mod trace;

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use probity_research::{Code, Problem, ResearchId};

use crate::Shared;

/// A page, or what went wrong on the way to it.
pub(crate) type Shown = Result<Response, Failed>;

/// A problem with the templates that show it.
pub(crate) struct Failed {
    shared: Shared,
    problem: Problem,
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        self.shared.render.trouble(&self.problem)
    }
}

impl Shared {
    pub fn failed(&self, problem: Problem) -> Failed {
        Failed { shared: self.clone(), problem }
    }

    pub fn id(&self, text: &str) -> Result<ResearchId, Failed> {
        text.parse().map_err(|_| self.failed(Problem::new(Code::NotFound, "there is no such research")))
    }

    /// What is answered to a form that does not carry our word: it was not made by us.
    pub fn refusal_of(&self, word: &str) -> Option<Response> {
        if self.door.is_our_form(word) {
            return None;
        }
        let words =
            "This form is from an earlier start of Probity. Go back, load the page again and repeat it.";
        Some(crate::render::refusal(StatusCode::FORBIDDEN, words))
    }
}

/// After a form: look at what it did.
pub(crate) fn go_to(id: ResearchId) -> Response {
    Redirect::to(&format!("/research/{id}")).into_response()
}

pub(crate) async fn nowhere(State(shared): State<Shared>) -> Response {
    shared.render.trouble(&Problem::new(Code::NotFound, "there is no such page"))
}
