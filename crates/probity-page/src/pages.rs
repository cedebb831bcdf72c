//! One file per page: asks the backend, renders a template.

pub(crate) mod checks;
pub(crate) mod claims;
pub(crate) mod costs;
pub(crate) mod follow_up;
pub(crate) mod library;
pub(crate) mod research;
pub(crate) mod settings;
pub(crate) mod shelf;
pub(crate) mod start;
pub(crate) mod steering;
pub(crate) mod trace;

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use probity_research::{Code, CodedError, RunId};

use crate::PageState;

/// A page, or the problem that prevented it.
pub(crate) type PageResult = Result<Response, PageError>;

/// A problem with the templates that show it.
pub(crate) struct PageError {
    shared: PageState,
    problem: CodedError,
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        self.shared.renderer.problem_page(&self.problem)
    }
}

impl PageState {
    pub fn page_error(&self, problem: CodedError) -> PageError {
        PageError { shared: self.clone(), problem }
    }

    pub fn parse_id(&self, text: &str) -> Result<RunId, PageError> {
        text.parse()
            .map_err(|_| self.page_error(CodedError::new(Code::NotFound, "there is no such research")))
    }

    /// The response to a form without our token: it was not made by our pages.
    pub fn refuse_foreign_form(&self, word: &str) -> Option<Response> {
        if self.login.is_form_token(word) {
            return None;
        }
        let words =
            "This form is from an earlier start of Probity. Go back, load the page again and repeat it.";
        Some(crate::render::refusal(StatusCode::FORBIDDEN, words))
    }
}

/// After a form: redirects to the page that shows its effect.
pub(crate) fn redirect_to_run(id: RunId) -> Response {
    Redirect::to(&format!("/research/{id}")).into_response()
}

pub(crate) async fn not_found(State(shared): State<PageState>) -> Response {
    shared.renderer.problem_page(&CodedError::new(Code::NotFound, "there is no such page"))
}
