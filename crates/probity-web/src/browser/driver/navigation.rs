//! What happened on the way to a page: its addresses, its responses, and whether it is idle now.

use serde_json::Value;

use super::text;

/// Addresses that a page may navigate to, by redirects and by scripts. Browsers stop at twenty.
const STEPS_MAX: usize = 10;
/// Headers kept of the response: date, language and type of the page.
const HEADERS: [&str; 6] =
    ["content-type", "content-language", "date", "etag", "last-modified", "x-robots-tag"];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NavigationLog {
    pub main_frame: String,
    /// Each address of the main page, in the order of the requests.
    pub steps: Vec<String>,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub requests: u32,
    /// Of the document that is shown.
    loader: String,
    quiet: bool,
    /// The page announced a navigation.
    leaving: bool,
}

impl NavigationLog {
    pub fn is_quiet(&self) -> bool {
        self.quiet && !self.leaving
    }

    pub fn last_asked(&self) -> &str {
        self.steps.last().map_or("", String::as_str)
    }

    /// Whether the main page may go to this address; remembers it.
    pub fn may_navigate(&mut self, url: &str) -> bool {
        if self.last_asked() == url {
            return true;
        }
        let may = self.steps.len() < STEPS_MAX;
        if may {
            self.steps.push(url.to_owned());
        }
        may
    }

    /// An event of the page's own session.
    pub fn record_event(&mut self, event: &str, parameters: &Value) {
        match event {
            "Page.frameNavigated" if text(parameters, "/frame/id") == self.main_frame => {
                self.loader = text(parameters, "/frame/loaderId").to_owned();
                (self.quiet, self.leaving) = (false, false);
            }
            "Page.frameRequestedNavigation" if self.is_main(parameters) => self.leaving = true,
            "Page.frameStoppedLoading" if self.is_main(parameters) => self.leaving = false,
            "Page.lifecycleEvent" if self.is_main(parameters) => {
                let same = text(parameters, "/loaderId") == self.loader;
                self.quiet |= same && text(parameters, "/name") == "networkIdle";
            }
            "Network.responseReceived" if self.is_main(parameters) && is_document(parameters) => {
                self.record_response(parameters);
            }
            _ => {}
        }
    }

    fn record_response(&mut self, parameters: &Value) {
        let status = parameters.pointer("/response/status").and_then(Value::as_u64);
        self.status = status.and_then(|status| u16::try_from(status).ok()).unwrap_or_default();
        let headers = parameters.pointer("/response/headers").and_then(Value::as_object);
        self.headers = headers
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.as_str().unwrap_or_default().to_owned()))
            .filter(|(name, _)| HEADERS.contains(&name.as_str()))
            .collect();
    }

    fn is_main(&self, parameters: &Value) -> bool {
        text(parameters, "/frameId") == self.main_frame
    }
}

fn is_document(parameters: &Value) -> bool {
    text(parameters, "/type") == "Document"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{NavigationLog, STEPS_MAX};

    fn page() -> NavigationLog {
        let mut seen = NavigationLog { main_frame: "M".to_owned(), ..NavigationLog::default() };
        seen.record_event("Page.frameNavigated", &json!({ "frame": { "id": "M", "loaderId": "1" } }));
        seen
    }

    #[test]
    fn quiet_is_the_quiet_of_the_document_that_is_shown() {
        let mut seen = page();
        let idle = |loader: &str, frame: &str| json!({ "name": "networkIdle", "loaderId": loader, "frameId": frame });
        seen.record_event("Page.lifecycleEvent", &idle("0", "M"));
        seen.record_event("Page.lifecycleEvent", &idle("1", "child"));
        assert!(!seen.is_quiet());
        seen.record_event("Page.lifecycleEvent", &idle("1", "M"));
        assert!(seen.is_quiet());
        seen.record_event("Page.frameRequestedNavigation", &json!({ "frameId": "M" }));
        assert!(!seen.is_quiet());
        seen.record_event("Page.frameNavigated", &json!({ "frame": { "id": "M", "loaderId": "2" } }));
        seen.record_event("Page.lifecycleEvent", &idle("2", "M"));
        assert!(seen.is_quiet());
    }

    #[test]
    fn a_page_does_not_lead_around_for_ever() {
        let mut seen = page();
        let allowed =
            (0..100).filter(|step| seen.may_navigate(&format!("http://example.org/{step}"))).count();
        assert_eq!(allowed, STEPS_MAX);
    }

    #[test]
    fn the_answer_is_that_of_the_main_page() {
        let mut seen = page();
        let answer = |frame: &str, status: u16| {
            json!({ "frameId": frame, "type": "Document", "response":
                { "status": status, "headers": { "Content-Type": "text/html", "Set-Cookie": "a=b" } } })
        };
        seen.record_event("Network.responseReceived", &answer("M", 404));
        seen.record_event("Network.responseReceived", &answer("child", 200));
        let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
        assert_eq!((seen.status, seen.headers), (404, headers));
    }
}
