//! Renders templates. Every value is escaped: all templates end in `.html`.

use axum::{
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use minijinja::{AutoEscape, Environment, Error, Output, Value};
use probity_research::{Code, CodedError};

use crate::assets;

/// Work that one page may take, in steps of the template engine: the largest one takes a tenth of it.
const FUEL: u64 = 2_000_000;

macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../templates/", $name)))),*]
    };
}

const TEMPLATES: [(&str, &str); 24] = templates![
    "base.html",
    "macros.html",
    "library.html",
    "trash.html",
    "remove.html",
    "shelf.html",
    "new.html",
    "proposal.html",
    "price.html",
    "check.html",
    "changes.html",
    "check_price.html",
    "follow_up.html",
    "running.html",
    "steering.html",
    "live.html",
    "steps.html",
    "reader.html",
    "claims.html",
    "claim.html",
    "trace.html",
    "costs.html",
    "settings.html",
    "trouble.html",
];

pub(crate) struct PageRenderer {
    environment: Environment<'static>,
}

impl PageRenderer {
    pub fn new() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        // Whatever a template's name is: there is nothing but HTML here.
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_formatter(|out, _, value| write(out, value));
        let version = assets::version();
        environment.add_function("asset", move |name: String| assets::address(&name, &version));
        for (name, source) in TEMPLATES {
            // Ours, and each is rendered by a test: a mistake here never reaches a user.
            if let Err(error) = environment.add_template(name, source) {
                tracing::error!(name, %error, "template was not parsed");
            }
        }
        Self { environment }
    }

    /// One template as text.
    pub fn text(&self, name: &str, values: Value) -> Result<String, minijinja::Error> {
        self.environment.get_template(name)?.render(values)
    }

    pub fn page(&self, name: &str, values: Value) -> Response {
        self.page_with(StatusCode::OK, name, values)
    }

    pub fn page_with(&self, status: StatusCode, name: &str, values: Value) -> Response {
        match self.text(name, values) {
            Ok(text) => (status, Html(text)).into_response(),
            Err(error) => {
                tracing::error!(name, %error, detail = format!("{error:#}"), "page was not rendered");
                refusal(StatusCode::INTERNAL_SERVER_ERROR, "This page could not be written.")
            }
        }
    }

    /// What went wrong, and what to do about it.
    pub fn problem_page(&self, problem: &CodedError) -> Response {
        let values = minijinja::context! {
            title => "That did not work",
            here => "",
            message => problem.message.clone(),
            code => problem.code.as_str(),
            hint => problem.code.hint(),
        };
        self.page_with(status_of(problem.code), "trouble.html", values)
    }
}

/// Our own, because the usual one also takes the slashes out of addresses. `none` is shown as nothing.
fn write(out: &mut Output<'_>, value: &Value) -> Result<(), Error> {
    if value.is_none() || value.is_undefined() {
        return Ok(());
    }
    let text = value.to_string();
    let text = if value.is_safe() { text } else { escaped(&text) };
    out.write_str(&text).map_err(Error::from)
}

/// Safe between tags and inside quotation marks of either kind.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

pub(crate) fn status_of(code: Code) -> StatusCode {
    match code {
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::InvalidQuery | Code::InvalidArguments | Code::SourceFolder => StatusCode::BAD_REQUEST,
        // What is missing is the user's to set: no trouble of the server either.
        Code::AlreadyEnded | Code::NotFinished | Code::Budget | Code::DayLimit | Code::KeyMissing => {
            StatusCode::CONFLICT
        }
        // How a run ended that left no report: told with the status that the HTTP API has for it, and no trouble of ours.
        Code::NothingFound
        | Code::NoEvidence
        | Code::EmptyReport
        | Code::UnusableAnswer
        | Code::Incomplete
        | Code::Expired
        | Code::Cancelled
        | Code::Deadline => StatusCode::CONFLICT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// For requests that are refused, or where nothing else can be shown: plain text, no template.
pub(crate) fn refusal(status: StatusCode, words: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{words}\n")).into_response()
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use probity_research::Code;

    use super::status_of;

    #[test]
    fn a_run_that_found_nothing_is_no_trouble_of_the_server() {
        for code in [Code::NothingFound, Code::NoEvidence, Code::EmptyReport, Code::Deadline] {
            assert_eq!(status_of(code), StatusCode::CONFLICT, "{code}");
        }
        assert_eq!(status_of(Code::StoreFailed), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
