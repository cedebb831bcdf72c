//! Where traces and logs go, read from the standard variables through a lookup that the caller passes.

use percent_encoding::percent_decode_str;
use probity_research::error::{Code, CodedError};
use secrecy::SecretString;
use url::Url;

use crate::gen_ai::ContentCapture;

/// Names of the variables that are read.
pub mod variable {
    pub const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
    pub const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
    pub const SERVICE_NAME: &str = "OTEL_SERVICE_NAME";
    pub const RESOURCE_ATTRIBUTES: &str = "OTEL_RESOURCE_ATTRIBUTES";
    pub const CAPTURE_CONTENT: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

    pub const ALL: &[&str] = &[ENDPOINT, HEADERS, SERVICE_NAME, RESOURCE_ATTRIBUTES, CAPTURE_CONTENT];
}

/// The process that exports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceIdentity {
    /// `probity-serve` or `probity-worker`; the operator may name it otherwise.
    pub name: &'static str,
    pub version: &'static str,
    /// Tells processes apart: the owner id.
    pub instance: String,
}

/// A collector and what is sent to it. `Debug` does not show the values of headers.
#[derive(Debug, Clone)]
pub struct OtlpSettings {
    endpoint: Url,
    pub(super) headers: Vec<(String, SecretString)>,
    pub(super) service: ServiceIdentity,
    pub(super) service_name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub capture: ContentCapture,
}

impl OtlpSettings {
    /// None when no endpoint is named. `lookup` reads one variable.
    pub fn read(
        lookup: impl Fn(&str) -> Option<String>,
        service: ServiceIdentity,
    ) -> Result<Option<Self>, CodedError> {
        let Some(endpoint) = lookup(variable::ENDPOINT).filter(|text| !text.trim().is_empty()) else {
            return Ok(None);
        };
        let attributes = pairs(lookup(variable::RESOURCE_ATTRIBUTES), variable::RESOURCE_ATTRIBUTES)?;
        let headers = pairs(lookup(variable::HEADERS), variable::HEADERS)?;
        let named =
            attributes.iter().find(|(name, _)| name == "service.name").map(|(_, value)| value.clone());
        let service_name = lookup(variable::SERVICE_NAME)
            .filter(|name| !name.is_empty())
            .or(named)
            .unwrap_or_else(|| service.name.to_owned());
        Ok(Some(Self {
            endpoint: parsed(endpoint.trim())?,
            headers: headers.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect(),
            service,
            service_name,
            attributes: attributes.into_iter().filter(|(name, _)| name != "service.name").collect(),
            capture: super::content_capture(lookup(variable::CAPTURE_CONTENT)),
        }))
    }

    /// The endpoint's address for one kind of data.
    pub(super) fn address(&self, path: &str) -> String {
        format!("{}/{path}", self.endpoint.as_str().trim_end_matches('/'))
    }
}

fn parsed(text: &str) -> Result<Url, CodedError> {
    let refused = |why: &str| Err(CodedError::new(Code::Settings, &format!("{} {why}", variable::ENDPOINT)));
    let Ok(url) = Url::parse(text) else { return refused("is not a URL") };
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return refused("must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refused("must not contain a password; use OTEL_EXPORTER_OTLP_HEADERS");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refused("must have no query and no fragment");
    }
    Ok(url)
}

/// `name=value,name=value`, values percent-encoded. A mistake names its variable, never the value.
fn pairs(text: Option<String>, variable: &str) -> Result<Vec<(String, String)>, CodedError> {
    let text = text.unwrap_or_default();
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let pair = |part: &str| {
        let (name, value) = part.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        (!name.trim().is_empty()).then(|| (name.trim().to_owned(), value.into_owned()))
    };
    let wrong = || CodedError::new(Code::Settings, &format!("{variable} must be a list of name=value"));
    parts.map(|part| pair(part).ok_or_else(wrong)).collect()
}

#[cfg(test)]
mod tests {
    use probity_research::error::CodedError;

    use super::{OtlpSettings, ServiceIdentity};
    use crate::gen_ai::ContentCapture;

    fn read(values: &[(&str, &str)]) -> Result<Option<OtlpSettings>, CodedError> {
        let lookup = |name: &str| {
            values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        OtlpSettings::read(
            lookup,
            ServiceIdentity { name: "probity-worker", version: "1", instance: "w1".to_owned() },
        )
    }

    #[test]
    fn without_an_endpoint_there_is_nothing() {
        assert!(read(&[]).unwrap().is_none());
        assert!(read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]).unwrap().is_none());
        assert!(read(&[("OTEL_EXPORTER_OTLP_HEADERS", "a=b")]).unwrap().is_none());
    }

    #[test]
    fn an_endpoint_gets_the_paths_of_the_protocol() {
        for endpoint in ["http://collector:4318", "http://collector:4318/"] {
            let settings = read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)]).unwrap().unwrap();
            assert_eq!(settings.address("v1/traces"), "http://collector:4318/v1/traces");
        }
        let below = read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "https://host/otlp")]).unwrap().unwrap();
        assert_eq!(below.address("v1/logs"), "https://host/otlp/v1/logs");
    }

    #[test]
    fn mistakes_are_told_without_secrets() {
        for (endpoint, header) in [
            ("collector:4318", ""),
            ("ftp://collector", ""),
            ("http://user:hunter2@collector", ""),
            ("http://collector?key=hunter2", ""),
            ("http://collector", "hunter2"),
        ] {
            let values = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint), ("OTEL_EXPORTER_OTLP_HEADERS", header)];
            let problem = read(&values).unwrap_err();
            assert!(!format!("{problem:?}").contains("hunter2"), "{problem:?}");
        }
    }

    #[test]
    fn secrets_do_not_show_and_content_is_only_taken_when_asked_for() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector");
        let quiet = read(&[endpoint, ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20hunter2")]);
        let quiet = quiet.unwrap().unwrap();
        assert!(!format!("{quiet:?}").contains("hunter2"));
        assert_eq!(quiet.capture, ContentCapture::Nothing);
        for (text, capture) in
            [("true", ContentCapture::Content), ("1", ContentCapture::Nothing), ("", ContentCapture::Nothing)]
        {
            let values = [endpoint, ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", text)];
            assert_eq!(read(&values).unwrap().unwrap().capture, capture, "{text}");
        }
    }

    #[test]
    fn the_operator_names_the_service() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector");
        let own = read(&[endpoint]).unwrap().unwrap();
        assert_eq!(own.service_name, "probity-worker");
        let attributes = ("OTEL_RESOURCE_ATTRIBUTES", "service.name=one,deployment.environment.name=prod");
        let named = read(&[endpoint, attributes]).unwrap().unwrap();
        assert_eq!(named.service_name, "one");
        assert_eq!(named.attributes, [("deployment.environment.name".to_owned(), "prod".to_owned())]);
        let first = read(&[endpoint, attributes, ("OTEL_SERVICE_NAME", "two")]).unwrap().unwrap();
        assert_eq!(first.service_name, "two");
    }
}
