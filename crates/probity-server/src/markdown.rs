//! A report as a Markdown file: the user's template or ours, filled with texts that can no longer act.
//!
//! Pure: where the file is written is up to `probity-store`. Every value a template can use is sanitized
//! first, so that a template of the user's own cannot forget to.

mod page;
mod sanitize;

use std::io::{self, Write};

use minijinja::{Environment, UndefinedBehavior, Value};
use probity_research::{
    error::{Code, CodedError},
    report::REPORT_BYTES_MAX,
};

pub use page::{MarkdownPage, MetadataVisibility, SourceListVisibility};
pub use sanitize::{
    find_active_markup, quote_front_matter, sanitize_line, sanitize_report, sanitize_web_address,
};

/// Ours; it also shows which values there are.
pub const BUILT_IN: &str = include_str!("../templates/research_report.md.j2");

/// Longest template of a user's own. Ours has a page; this leaves room for fifty.
pub const TEMPLATE_BYTES_MAX: usize = 64 * 1024;
/// Longest file: the longest report, twice, because making a text harmless can lengthen it.
pub const MARKDOWN_BYTES_MAX: usize = REPORT_BYTES_MAX * 2;
/// Steps of a template. Ours takes about twelve per source, and a report has at most 5,000 of them.
const FUEL: u64 = 1_000_000;
/// Blocks within blocks; more is a template that calls itself.
const DEPTH_MAX: usize = 32;

const NAME: &str = "research_report.md";

/// The template that reports are written with.
#[derive(Debug)]
pub struct ReportTemplates {
    environment: Environment<'static>,
    origin: TemplateOrigin,
}

/// Whose template it is, for the hint in its errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TemplateOrigin {
    BuiltIn,
    Own,
}

impl ReportTemplates {
    /// Ours, or the text of the user's own, which is tried once with an empty report.
    pub fn new(own: Option<String>) -> Result<Self, CodedError> {
        let origin = if own.is_some() { TemplateOrigin::Own } else { TemplateOrigin::BuiltIn };
        let source = own.unwrap_or_else(|| BUILT_IN.to_owned());
        if source.len() > TEMPLATE_BYTES_MAX {
            let message = format!(
                "the report template has {} bytes; at most {TEMPLATE_BYTES_MAX} are taken",
                source.len()
            );
            return Err(CodedError::new(Code::Settings, &message));
        }
        let mut environment = Environment::new();
        environment.set_fuel(Some(FUEL));
        environment.set_recursion_limit(DEPTH_MAX);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.add_template_owned(NAME, source).map_err(|error| problem(origin, &error))?;
        let templates = Self { environment, origin };
        templates.fill(page::sample())?;
        Ok(templates)
    }

    pub fn render(&self, page: &MarkdownPage<'_>) -> Result<String, CodedError> {
        self.fill(page.values())
    }

    fn fill(&self, values: Value) -> Result<String, CodedError> {
        let failed = |error: &minijinja::Error| problem(self.origin, error);
        let template = self.environment.get_template(NAME).map_err(|error| failed(&error))?;
        let mut file = BoundedBuffer { bytes: Vec::new(), full: false };
        let rendered = template.render_captured_to(values, &mut file).map(drop);
        if file.full {
            return Err(CodedError::new(
                Code::Settings,
                &format!("the file would have more than {MARKDOWN_BYTES_MAX} bytes"),
            ));
        }
        rendered.map_err(|error| failed(&error))?;
        let mut text = String::from_utf8(file.bytes)
            .map_err(|_| CodedError::new(Code::Settings, "the report template makes broken text"))?;
        text.truncate(text.trim_end().len());
        text.push('\n');
        Ok(text)
    }
}

/// The line and the hint; a built-in template that fails is our mistake and says so.
fn problem(origin: TemplateOrigin, error: &minijinja::Error) -> CodedError {
    let line = error.line().map(|line| format!(" at line {line}")).unwrap_or_default();
    let cause = error
        .detail()
        .map_or_else(|| error.kind().to_string(), |detail| format!("{}: {detail}", error.kind()));
    let way_out = match origin {
        TemplateOrigin::Own => "mend it, or remove it from the settings to use the built-in one",
        TemplateOrigin::BuiltIn => "this is a mistake in Probity",
    };
    CodedError::new(Code::Settings, &format!("the report template fails{line}: {cause}; {way_out}"))
}

/// Takes what fits and then refuses, so that a template cannot fill the memory.
struct BoundedBuffer {
    bytes: Vec<u8>,
    full: bool,
}

impl Write for BoundedBuffer {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + buffer.len() > MARKDOWN_BYTES_MAX {
            self.full = true;
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        self.bytes.extend_from_slice(buffer);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
