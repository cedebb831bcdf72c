//! The one line this program prints.
#![expect(clippy::print_stdout, reason = "the only module that prints to stdout")]

use std::net::SocketAddr;

/// `question` is the request of a research world.
pub(crate) fn ready(address: SocketAddr, question: Option<&str>) {
    let mut line = serde_json::json!({"base_url": format!("http://{address}")});
    if let (Some(fields), Some(question)) = (line.as_object_mut(), question) {
        fields.insert("question".to_owned(), question.into());
    }
    println!("{line}");
}
