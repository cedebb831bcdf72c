//! Resolves the provider's redirect links. Grounded answers cite pages through links of the provider that
//! hide the page and expire: each is asked once, at once, for its target. The target itself is never fetched.

use std::time::Duration;

use bytes::Bytes;
use tokio::{sync::Semaphore, time::timeout};
use url::Url;

use crate::transport::{ConnectionReuse, HttpMethod, HttpRequest, Transport};

/// The only hosts whose redirects are resolved, besides a simulator on this machine.
const HOST: &str = "vertexaisearch.cloud.google.com";
const PATH: &str = "/grounding-api-redirect/";
/// Links resolved for one answer; more than this are not worth the wait.
pub const LINKS_MAX: usize = 200;
/// Concurrent requests.
const AT_ONCE: usize = 8;
/// Timeout of one request. A redirect is a header and no page.
const ASK_MAX: Duration = Duration::from_secs(5);
/// Timeout for all links of an answer: the answer is there already, only its links are unresolved.
const ALL_MAX: Duration = Duration::from_secs(20);
/// Longest address taken as a target.
const TARGET_BYTES_MAX: usize = 4_096;

pub struct RedirectResolver<T> {
    transport: T,
    /// The configured service, where it is on this machine.
    loopback: Option<Url>,
}

impl<T: Transport> RedirectResolver<T> {
    pub fn new(transport: T, base_url: &str) -> Self {
        let loopback = Url::parse(base_url).ok().filter(|base| base.scheme() == "http");
        Self { transport, loopback }
    }

    /// The target of each link that is a redirect of the provider's and has a target; others are left out.
    pub async fn resolve(&self, links: impl IntoIterator<Item = &str>) -> Vec<(String, String)> {
        let mut wanted: Vec<&str> = Vec::new();
        for link in links {
            if wanted.len() < LINKS_MAX && self.is_redirect(link) && !wanted.contains(&link) {
                wanted.push(link);
            }
        }
        let turns = Semaphore::new(AT_ONCE);
        let asked = wanted.into_iter().map(|link| {
            let turns = &turns;
            async move {
                let _turn = turns.acquire().await.ok()?;
                let target = timeout(ASK_MAX, self.target(link)).await.ok()??;
                Some((link.to_owned(), target))
            }
        });
        match timeout(ALL_MAX, join_all(asked)).await {
            Ok(resolved) => resolved,
            Err(_) => {
                tracing::debug!("timeout: redirects of the provider not resolved");
                Vec::new()
            }
        }
    }

    fn is_redirect(&self, link: &str) -> bool {
        let Ok(url) = Url::parse(link) else { return false };
        let google = url.scheme() == "https" && url.host_str() == Some(HOST) && url.port().is_none();
        let here = self.loopback.as_ref().is_some_and(|base| base.origin() == url.origin());
        (google || here)
            && url.path().starts_with(PATH)
            && url.username().is_empty()
            && url.password().is_none()
    }

    /// Requested without the key, and without following: only one header is read.
    async fn target(&self, link: &str) -> Option<String> {
        let request = HttpRequest {
            method: HttpMethod::Get,
            url: link.to_owned(),
            headers: Vec::new(),
            body: Bytes::new(),
            connection: ConnectionReuse::Pooled,
        };
        let response = self.transport.send(request).await.ok()?;
        let target = response.headers.location.filter(|_| (300..=399).contains(&response.status))?;
        let target = Url::parse(target.trim()).ok()?;
        let is_page = matches!(target.scheme(), "http" | "https") && !self.is_redirect(target.as_str());
        let text = String::from(target);
        (is_page && text.len() <= TARGET_BYTES_MAX).then_some(text)
    }
}

/// All of them concurrently.
async fn join_all<F: Future<Output = Option<(String, String)>>>(
    asked: impl Iterator<Item = F>,
) -> Vec<(String, String)> {
    let mut waiting: Vec<_> = asked.map(|question| (Box::pin(question), None)).collect();
    std::future::poll_fn(|context| {
        let mut pending = false;
        for (question, answer) in &mut waiting {
            if answer.is_none() {
                match question.as_mut().poll(context) {
                    std::task::Poll::Ready(found) => *answer = Some(found),
                    std::task::Poll::Pending => pending = true,
                }
            }
        }
        if pending { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    waiting.into_iter().filter_map(|(_, answer)| answer.flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::RedirectResolver;
    use crate::transport::scripted::ScriptedTransport;

    #[test]
    fn only_the_providers_own_redirects_are_asked() {
        let redirects =
            RedirectResolver::new(ScriptedTransport::default(), "https://generativelanguage.googleapis.com");
        let asked = |link: &str| redirects.is_redirect(link);
        assert!(asked("https://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA"));
        for refused in [
            "http://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA",
            "https://vertexaisearch.cloud.google.com.evil.example/grounding-api-redirect/AAA",
            "https://evil.example/grounding-api-redirect/AAA",
            "https://vertexaisearch.cloud.google.com:444/grounding-api-redirect/AAA",
            "https://user@vertexaisearch.cloud.google.com/grounding-api-redirect/AAA",
            "https://vertexaisearch.cloud.google.com/other/AAA",
            "http://127.0.0.1:8080/grounding-api-redirect/AAA",
            "http://169.254.169.254/grounding-api-redirect/AAA",
            "not an address",
        ] {
            assert!(!asked(refused), "{refused}");
        }
        let simulated = RedirectResolver::new(ScriptedTransport::default(), "http://127.0.0.1:8080");
        assert!(simulated.is_redirect("http://127.0.0.1:8080/grounding-api-redirect/AAA"));
        assert!(!simulated.is_redirect("http://127.0.0.1:8081/grounding-api-redirect/AAA"));
    }
}
