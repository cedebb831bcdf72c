//! Language models that run on this machine: asks the usual local ports for their list, with a short timeout;
//! no other host is contacted.

use std::time::Duration;

use probity_models::{
    HttpTransport,
    transport::{ConnectionReuse, HttpMethod, HttpRequest, ResponseBody as _, Transport as _},
};
use serde_json::Value;

/// Ports with what usually answers there.
const USUAL: [(u16, &str); 4] = [(11434, "Ollama"), (1234, "LM Studio"), (8080, "llama.cpp"), (8000, "vLLM")];
/// A list from this machine takes milliseconds.
const LIMIT: Duration = Duration::from_millis(800);
/// Hundreds of models fit in.
const ANSWER_BYTES_MAX: usize = 256 * 1024;
/// Names that are shown and offered.
const MODELS_MAX: usize = 20;

/// Something that answers like OpenAI's API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEndpoint {
    /// What usually listens there; a guess from the port.
    pub usually: &'static str,
    pub address: String,
    pub models: Vec<String>,
}

pub async fn find_endpoints() -> Vec<ModelEndpoint> {
    let mut found = Vec::new();
    for (port, usually) in USUAL {
        let address = format!("http://127.0.0.1:{port}/v1");
        if let Ok(Some(models)) = tokio::time::timeout(LIMIT, models(&address)).await {
            found.push(ModelEndpoint { usually, address, models });
        }
    }
    found
}

async fn models(address: &str) -> Option<Vec<String>> {
    let network = HttpTransport::new(address).ok()?;
    let request = HttpRequest {
        method: HttpMethod::Get,
        url: format!("{address}/models"),
        headers: Vec::new(),
        body: bytes::Bytes::new(),
        connection: ConnectionReuse::Fresh,
    };
    let mut answer = network.send(request).await.ok().filter(|answer| answer.status == 200)?;
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = answer.body.chunk().await {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    names(&body)
}

/// Only names that are safe to show and to type.
fn names(body: &[u8]) -> Option<Vec<String>> {
    let document: Value = serde_json::from_slice(body).ok()?;
    let listed = document.get("data")?.as_array()?;
    let names = listed.iter().filter_map(|model| model.get("id")?.as_str());
    let is_name = |name: &&str| {
        !name.is_empty()
            && name.len() <= 100
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "._:/-+@".contains(c))
    };
    Some(names.filter(is_name).take(MODELS_MAX).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn names_that_could_steer_a_terminal_are_left_out() {
        let body = br#"{"object":"list","data":[{"id":"llama3.2:3b"},{"id":"a\u001b[2Jb"},{"id":"x; rm -rf /"},{"id":7}]}"#;
        assert_eq!(names(body), Some(vec!["llama3.2:3b".to_owned()]));
        assert_eq!(names(b"<html>"), None);
        assert_eq!(names(b"{\"data\":1}"), None);
    }
}
