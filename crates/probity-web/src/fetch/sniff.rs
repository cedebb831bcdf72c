//! The type of bytes, from their content. The server's Content-Type decides only between types that look
//! alike.

use probity_types::web::MediaKind;

/// Bytes inspected; every format is recognised within this.
const SNIFFED_BYTES: usize = 1024;

/// How HTML begins, after spaces and comments.
const HTML_STARTS: [&str; 20] = [
    "<!doctype html",
    "<html",
    "<head",
    "<body",
    "<title",
    "<script",
    "<style",
    "<meta",
    "<link",
    "<div",
    "<p>",
    "<p ",
    "<h1",
    "<table",
    "<a ",
    "<br",
    "<main",
    "<article",
    "<section",
    "<iframe",
];

pub fn sniff(bytes: &[u8], content_type: Option<&str>, path: &str) -> MediaKind {
    let start = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    if start.windows(5).any(|window| window == b"%PDF-") && !looks_like_text(start)
        || start.starts_with(b"%PDF-")
    {
        return MediaKind::Pdf;
    }
    let Some(text) = readable(start) else { return MediaKind::Other };
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).to_ascii_lowercase();
    let said = said(content_type);
    let body = after_comments(&text);
    if HTML_STARTS.iter().any(|begin| body.starts_with(begin)) {
        return MediaKind::Html;
    }
    if text.starts_with("<?xml") || body.starts_with("<!doctype") {
        let xhtml = body.contains("<html") || said == Some(MediaKind::Html);
        return if xhtml { MediaKind::Html } else { MediaKind::Xml };
    }
    match said {
        Some(MediaKind::Pdf | MediaKind::Other) | None if body.starts_with('<') => MediaKind::Xml,
        Some(MediaKind::Pdf) => MediaKind::Text,
        Some(MediaKind::Other) => MediaKind::Other,
        Some(MediaKind::Text) | None if is_markdown(path) => MediaKind::Markdown,
        Some(media) => media,
        None if body.starts_with(['{', '[']) => MediaKind::Json,
        None => MediaKind::Text,
    }
}

/// The server's Content-Type. `Other` are formats that are text but not for reading, such as scripts.
fn said(content_type: Option<&str>) -> Option<MediaKind> {
    let essence = content_type?.split(';').next()?.trim().to_ascii_lowercase();
    match essence.as_str() {
        "text/html" | "application/xhtml+xml" => Some(MediaKind::Html),
        "text/markdown" | "text/x-markdown" => Some(MediaKind::Markdown),
        "text/plain" | "text/csv" | "text/tab-separated-values" => Some(MediaKind::Text),
        "application/pdf" => Some(MediaKind::Pdf),
        "application/json" | "text/json" | "application/ld+json" => Some(MediaKind::Json),
        "application/xml" | "text/xml" => Some(MediaKind::Xml),
        "text/css" | "text/javascript" | "application/javascript" | "application/x-javascript" => {
            Some(MediaKind::Other)
        }
        other if other.ends_with("+json") => Some(MediaKind::Json),
        other if other.ends_with("+xml") => Some(MediaKind::Xml),
        other if ["image/", "audio/", "video/", "font/"].iter().any(|kind| other.starts_with(kind)) => {
            Some(MediaKind::Other)
        }
        _ => None,
    }
}

fn is_markdown(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.ends_with(".md") || path.ends_with(".markdown")
}

fn after_comments(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let inside = text.strip_prefix("<!--").or_else(|| text.strip_prefix("<?xml"));
        let Some(inside) = inside else { return text };
        let end = if text.starts_with("<!--") { "-->" } else { "?>" };
        match inside.split_once(end) {
            Some((_, rest)) => text = rest,
            None => return "",
        }
    }
}

/// The bytes as text, if they are text: no control characters but the usual ones. UTF-16 says so by its mark.
fn readable(start: &[u8]) -> Option<String> {
    match start {
        [0xff, 0xfe, rest @ ..] => Some(wide(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Some(wide(rest, u16::from_be_bytes)),
        _ => looks_like_text(start).then(|| String::from_utf8_lossy(start).into_owned()),
    }
}

fn wide(bytes: &[u8], join: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| join(*pair)).collect();
    String::from_utf16_lossy(&units)
}

fn looks_like_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte >= 0x20 || matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
}

#[cfg(test)]
mod tests {
    use probity_types::web::MediaKind;

    use super::sniff;

    #[track_caller]
    fn check(bytes: &[u8], content_type: &str, path: &str, expected: MediaKind) {
        let said = Some(content_type).filter(|text| !text.is_empty());
        assert_eq!(
            sniff(bytes, said, path),
            expected,
            "{content_type} {path} {:?}",
            String::from_utf8_lossy(bytes)
        );
    }

    #[test]
    fn bytes_decide_before_the_server_does() {
        check(b"<!DOCTYPE html><html>", "text/plain", "/", MediaKind::Html);
        check(b"\xef\xbb\xbf  <!-- hello --> <HTML lang=en>", "", "/", MediaKind::Html);
        check(b"<?xml version=\"1.0\"?><!DOCTYPE html><html>", "application/xml", "/", MediaKind::Html);
        check(b"<?xml version=\"1.0\"?><rss>", "text/html-ish", "/", MediaKind::Xml);
        check(b"%PDF-1.7\n%\xe2\xe3", "text/html", "/", MediaKind::Pdf);
        check(b"\x89PNG\r\n\x1a\n\0\0", "text/html", "/", MediaKind::Other);
        check(b"PK\x03\x04\0", "application/pdf", "/", MediaKind::Other);
        check(b"\x1f\x8b\x08\0", "text/plain", "/", MediaKind::Other);
        check(b"\xff\xfe<\0h\0t\0m\0l\0>\0", "", "/", MediaKind::Html);
    }

    #[test]
    fn the_server_decides_between_things_that_look_alike() {
        check(b"{\"a\":1}", "application/json", "/", MediaKind::Json);
        check(b"{\"a\":1}", "application/vnd.api+json; charset=utf-8", "/", MediaKind::Json);
        check(b"{\"a\":1}", "", "/", MediaKind::Json);
        check(b"{ not json", "text/plain", "/", MediaKind::Text);
        check(b"# Title", "text/plain", "/README.md", MediaKind::Markdown);
        check(b"# Title", "text/markdown", "/", MediaKind::Markdown);
        check(b"just words", "", "/", MediaKind::Text);
        check(b"just words", "text/html", "/", MediaKind::Html);
        check(b"body { color: red }", "text/css", "/", MediaKind::Other);
        check(b"<svg>", "image/svg+xml", "/", MediaKind::Xml);
        check(b"", "", "/", MediaKind::Text);
    }
}
