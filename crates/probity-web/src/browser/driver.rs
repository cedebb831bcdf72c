//! Drives one Chromium to one page: opens it, answers its requests meanwhile, waits until it is idle.
//!
//! A thin client of our own for the dozen messages that this takes. Second to the proxy in keeping a page in bounds:
//! what is not http or https never leaves, windows are closed, workers that outlive a page never start.

mod navigation;

use std::{io, time::Duration};

use probity_types::error::{Code, CodedError};
use serde_json::{Value, json};
use tokio::time::timeout;

pub use self::navigation::NavigationLog;
use super::{
    ResourcePolicy,
    pipe::ChromiumPipe,
    proxy::{BrowserProxy, ConnectionPolicy, USER},
};

/// Chromium starts in a tenth of a second; on a busy machine in one or two.
const START_MAX: Duration = Duration::from_secs(15);
/// Serialising the page. A page whose script never ends does not answer.
const SERIALISE_MAX: Duration = Duration::from_secs(5);
/// Sessions that are attached: the page, its frames and its workers.
const SESSIONS_MAX: usize = 64;

/// The page as a tree, with the contents of open shadow roots in their place. Runs beside the page's own scripts, which
/// cannot change it. Truncated here, so that a bomb stays in Chromium.
const SERIALISE: &str = include_str!("driver/serialise.js");

pub struct ChromiumDriver<'a, G> {
    pipe: ChromiumPipe,
    gate: &'a G,
    proxy: &'a BrowserProxy,
    loads: ResourcePolicy,
    next_id: u64,
    session: String,
    sessions: usize,
    target: String,
    seen: NavigationLog,
    failed: Option<CodedError>,
}

impl<'a, G: ConnectionPolicy> ChromiumDriver<'a, G> {
    pub fn new(pipe: ChromiumPipe, gate: &'a G, proxy: &'a BrowserProxy, loads: ResourcePolicy) -> Self {
        Self {
            pipe,
            gate,
            proxy,
            loads,
            next_id: 0,
            session: String::new(),
            sessions: 0,
            target: String::new(),
            seen: NavigationLog::default(),
            failed: None,
        }
    }

    /// Waits until Chromium is ready, and attaches to an empty page.
    pub async fn start(&mut self) -> Result<(), CodedError> {
        let started = timeout(START_MAX, self.open());
        started.await.map_err(|_| CodedError::new(Code::Timeout, "Chromium does not start"))?
    }

    async fn open(&mut self) -> Result<(), CodedError> {
        self.browser("Browser.getVersion", json!({})).await?;
        self.browser("Browser.setDownloadBehavior", json!({ "behavior": "deny" })).await?;
        let made = self.browser("Target.createTarget", json!({ "url": "about:blank" })).await?;
        self.target = text(&made, "/targetId").to_owned();
        let target = json!({ "targetId": self.target, "flatten": true });
        let attached = self.browser("Target.attachToTarget", target).await?;
        self.session = text(&attached, "/sessionId").to_owned();
        self.browser("Target.setAutoAttach", auto_attach()).await?;
        let session = self.session.clone();
        let tree = self.page("Page.getFrameTree", json!({})).await?;
        self.seen.main_frame = text(&tree, "/frameTree/frame/id").to_owned();
        for (method, parameters) in page_setup() {
            self.call(Some(&session), method, parameters).await?;
        }
        Ok(())
    }

    /// Navigates to the page and waits until it is idle, at most `limit`. Its state at that time is the page.
    pub async fn visit(&mut self, url: &str, limit: Duration) -> Result<(), CodedError> {
        // Timeout: a page that is never idle is taken as it is.
        timeout(limit, self.navigate(url)).await.unwrap_or(Ok(()))
    }

    async fn navigate(&mut self, url: &str) -> Result<(), CodedError> {
        let went = self.page("Page.navigate", json!({ "url": url })).await?;
        if let Some(error) = went.pointer("/errorText").and_then(Value::as_str) {
            return Err(self.refused_or(url, error));
        }
        while !self.seen.is_quiet() {
            let message = self.receive().await?;
            self.handle(&message);
        }
        Ok(())
    }

    /// The page as it is now: its address and at most `most` characters.
    pub async fn current_page(&mut self, most: usize) -> Result<SerialisedPage, CodedError> {
        let read = timeout(SERIALISE_MAX, self.serialise(most));
        read.await.map_err(|_| CodedError::new(Code::Timeout, "the page's scripts never let go"))?
    }

    async fn serialise(&mut self, most: usize) -> Result<SerialisedPage, CodedError> {
        let frame = json!({ "frameId": self.seen.main_frame, "worldName": "probity" });
        let world = self.page("Page.createIsolatedWorld", frame).await?;
        let context = world.pointer("/executionContextId").cloned().unwrap_or_default();
        let expression = format!("({SERIALISE})({most})");
        let call = json!({ "expression": expression, "contextId": context, "returnByValue": true });
        let shown = self.page("Runtime.evaluate", call).await?;
        let value = shown.pointer("/result/value").cloned().unwrap_or_default();
        let url = text(&value, "/url").to_owned();
        if !url.starts_with("http://") && !url.starts_with("https://") || self.proxy.was_refused(&url) {
            return Err(self.refused_or(self.seen.last_asked(), "the page did not come"));
        }
        let truncated = value.pointer("/truncated").and_then(Value::as_bool).unwrap_or(false);
        Ok(SerialisedPage { url, html: text(&value, "/html").to_owned(), truncated })
    }

    pub fn into_navigation_log(self) -> NavigationLog {
        self.seen
    }

    fn refused_or(&self, url: &str, message: &str) -> CodedError {
        if self.proxy.was_refused(url) {
            return CodedError::new(Code::AddressRefused, "the page's address is not a public one");
        }
        if self.proxy.bytes_left() == 0 {
            return CodedError::new(Code::PageTooLarge, "the page loads more than it may");
        }
        // A download, or something that a browser does not display.
        let code = if message.contains("ERR_ABORTED") { Code::PageUnreadable } else { Code::PageUnreachable };
        CodedError::new(code, &format!("Chromium could not show the page: {message}"))
    }

    async fn browser(&mut self, method: &str, parameters: Value) -> Result<Value, CodedError> {
        self.call(None, method, parameters).await
    }

    async fn page(&mut self, method: &str, parameters: Value) -> Result<Value, CodedError> {
        let session = self.session.clone();
        self.call(Some(&session), method, parameters).await
    }

    /// Sends a command and waits for its answer; what happens meanwhile is handled.
    async fn call(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
    ) -> Result<Value, CodedError> {
        let id = self.send(session, method, parameters);
        loop {
            let mut message = self.receive().await?;
            if message.pointer("/id").and_then(Value::as_u64) != Some(id) {
                self.handle(&message);
                continue;
            }
            if let Some(error) = message.pointer("/error/message").and_then(Value::as_str) {
                let message = format!("Chromium did not do {method}: {error}");
                return Err(CodedError::new(Code::PageUnreadable, &message));
            }
            return Ok(message.pointer_mut("/result").map(Value::take).unwrap_or_default());
        }
    }

    fn send(&mut self, session: Option<&str>, method: &str, parameters: Value) -> u64 {
        self.next_id += 1;
        let mut message = json!({ "id": self.next_id, "method": method, "params": parameters });
        if let (Some(session), Some(fields)) = (session, message.as_object_mut()) {
            fields.insert("sessionId".to_owned(), session.into());
        }
        self.pipe.send(&message);
        self.next_id
    }

    async fn receive(&mut self) -> Result<Value, CodedError> {
        if let Some(problem) = self.failed.take() {
            return Err(problem);
        }
        self.pipe.receive().await.map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => CodedError::new(Code::PageTooLarge, &error.to_string()),
            _ => CodedError::new(
                Code::PageUnreadable,
                &format!("Chromium ended before the page was there: {error}"),
            ),
        })
    }

    /// Handles an event. Only sends: nothing here waits.
    fn handle(&mut self, message: &Value) {
        let session = message.pointer("/sessionId").and_then(Value::as_str);
        let parameters = message.pointer("/params").unwrap_or(&Value::Null);
        match text(message, "/method") {
            "Target.attachedToTarget" => self.attached(parameters),
            "Fetch.requestPaused" => self.decide_request(session, parameters),
            "Fetch.authRequired" => self.answer_authentication(session, parameters),
            "Page.javascriptDialogOpening" => {
                self.send(session, "Page.handleJavaScriptDialog", json!({ "accept": false }));
            }
            "Inspector.targetCrashed" if session == Some(self.session.as_str()) => {
                self.failed = Some(CodedError::new(Code::PageUnreadable, "the page made Chromium crash"));
            }
            event if session == Some(self.session.as_str()) => self.seen.record_event(event, parameters),
            _ => {}
        }
    }

    /// A frame or a worker of the page is resumed; a window is closed; what would outlive the page never
    /// starts.
    fn attached(&mut self, parameters: &Value) {
        let (session, target) = (text(parameters, "/sessionId"), text(parameters, "/targetInfo/targetId"));
        if target == self.target {
            return;
        }
        self.sessions += 1;
        let part_of_page = matches!(text(parameters, "/targetInfo/type"), "iframe" | "worker");
        if !part_of_page || self.sessions > SESSIONS_MAX {
            self.send(None, "Target.closeTarget", json!({ "targetId": target }));
            return;
        }
        for (method, parameters) in [
            ("Fetch.enable", fetch_all()),
            ("Network.setBypassServiceWorker", json!({ "bypass": true })),
            ("Target.setAutoAttach", auto_attach()),
            ("Runtime.runIfWaitingForDebugger", json!({})),
        ] {
            // A worker does not know all of them; its error is ignored.
            self.send(Some(session), method, parameters);
        }
    }

    /// Lets a request continue to the proxy, or fails it.
    fn decide_request(&mut self, session: Option<&str>, parameters: &Value) {
        let request = text(parameters, "/requestId");
        let (url, kind) = (text(parameters, "/request/url"), text(parameters, "/resourceType"));
        self.seen.requests = self.seen.requests.saturating_add(1);
        let main = kind == "Document" && text(parameters, "/frameId") == self.seen.main_frame;
        let unwanted = self.loads == ResourcePolicy::Text && matches!(kind, "Image" | "Media" | "Font");
        let inside = url.starts_with("data:") || url.starts_with("blob:");
        let refused = !inside && self.gate.parse(url).is_err();
        if refused {
            self.proxy.count_refusal(url);
        }
        let lost = main && (inside || !self.seen.may_navigate(url));
        if unwanted || refused || lost {
            // A page that may not navigate stays at its address.
            let reason = if main { "Aborted" } else { "BlockedByClient" };
            let fail = json!({ "requestId": request, "errorReason": reason });
            self.send(session, "Fetch.failRequest", fail);
        } else {
            self.send(session, "Fetch.continueRequest", json!({ "requestId": request }));
        }
    }

    /// Sends the proxy's password to Chromium; a server that asks for one gets none.
    fn answer_authentication(&mut self, session: Option<&str>, parameters: &Value) {
        let answer = match text(parameters, "/authChallenge/source") {
            "Proxy" => json!({
                "response": "ProvideCredentials", "username": USER, "password": self.proxy.password(),
            }),
            _ => json!({ "response": "CancelAuth" }),
        };
        let request = text(parameters, "/requestId");
        let answer = json!({ "requestId": request, "authChallengeResponse": answer });
        self.send(session, "Fetch.continueWithAuth", answer);
    }
}

/// The page as it is after its scripts ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerialisedPage {
    pub url: String,
    pub html: String,
    pub truncated: bool,
}

fn page_setup() -> [(&'static str, Value); 7] {
    [
        ("Page.enable", json!({})),
        ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
        ("Network.enable", json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 })),
        ("Network.setBypassServiceWorker", json!({ "bypass": true })),
        ("Inspector.enable", json!({})),
        ("Fetch.enable", fetch_all()),
        ("Target.setAutoAttach", auto_attach()),
    ]
}

fn auto_attach() -> Value {
    json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true })
}

fn fetch_all() -> Value {
    json!({ "patterns": [{ "urlPattern": "*" }], "handleAuthRequests": true })
}

pub fn text<'v>(value: &'v Value, place: &str) -> &'v str {
    value.pointer(place).and_then(Value::as_str).unwrap_or_default()
}
