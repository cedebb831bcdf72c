//! Styles and scripts of our own, inside the program. Nothing is ever loaded from elsewhere.

use axum::{
    extract::Path,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

use crate::render;

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Name, type, content.
const ASSETS: [(&str, &str, &str); 6] = [
    ("report.css", CSS, probity_report::html::STYLE),
    ("page.css", CSS, include_str!("../assets/page.css")),
    ("theme.js", SCRIPT, include_str!("../assets/theme.js")),
    ("page.js", SCRIPT, include_str!("../assets/page.js")),
    ("live.js", SCRIPT, include_str!("../assets/live.js")),
    ("report.js", SCRIPT, probity_report::html::SCRIPT),
];

pub(crate) async fn show(Path(name): Path<String>) -> Response {
    let Some((_, kind, content)) = ASSETS.iter().find(|(known, _, _)| *known == name) else {
        return render::refusal(StatusCode::NOT_FOUND, "There is no such file.");
    };
    // Their addresses contain a digest of the content: another build has other addresses.
    let kept = "private, max-age=31536000, immutable";
    ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, kept)], *content).into_response()
}

/// The address of a file, with a digest of all of them.
pub(crate) fn address(name: &str, version: &str) -> String {
    format!("/assets/{name}?v={version}")
}

pub(crate) fn version() -> String {
    let mut hasher = blake3::Hasher::new();
    for (_, _, content) in ASSETS {
        hasher.update(content.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(12).collect()
}
