//! Pages through the real confined process: good ones are read, bad ones cost only themselves.

use std::{ffi::OsString, time::Duration};

use bytes::Bytes;
use probity_extract::{ParserPool, ParserSettings};
use probity_types::{Code, web::page::MediaKind};

const GOOD: &str = "<html><body><article><p>The kettle boils at one hundred degrees at the level of the sea, and \
    earlier on a mountain.</p></article></body></html>";

fn parser(arguments: &[&str]) -> ParserPool {
    let program = std::iter::once(env!("CARGO_BIN_EXE_parser-probe")).chain(arguments.iter().copied());
    let program = program.map(OsString::from).collect();
    ParserPool::new(ParserSettings { page_time_max: Duration::from_secs(5), ..ParserSettings::new(program) })
}

#[tokio::test]
async fn pages_are_read_by_one_process() {
    let parser = parser(&["serve"]);
    for _ in 0..3 {
        let page = parser.extract(MediaKind::Html, "https://example.org/", Bytes::from(GOOD)).await.unwrap();
        assert!(page.text.starts_with("The kettle boils"), "{}", page.text);
    }
    assert_eq!(parser.idle_processes().len(), 1);
    let refused = parser.extract(MediaKind::Other, "", Bytes::from("x")).await.unwrap_err();
    assert_eq!(refused.code, Code::PageUnreadable);
    assert_eq!(parser.idle_processes().len(), 1, "a refused page does not end the process");
}

#[tokio::test]
async fn what_is_no_parser_costs_the_page_only() {
    for (program, word) in
        [("/bin/false", "ended"), ("/bin/cat", "ended"), ("/nowhere/at/all", "does not start")]
    {
        let parser = ParserPool::new(ParserSettings::new(vec![program.into()]));
        let failed = parser.extract(MediaKind::Html, "", Bytes::from(GOOD)).await.unwrap_err();
        assert_eq!(failed.code, Code::PageUnreadable);
        assert!(failed.message.contains(word), "{failed}");
    }
}

#[tokio::test]
async fn a_process_that_does_not_answer_is_killed() {
    let program = vec!["/bin/sleep".into(), "100".into()];
    let settings =
        ParserSettings { page_time_max: Duration::from_millis(200), ..ParserSettings::new(program) };
    let failed = ParserPool::new(settings).extract(MediaKind::Html, "", Bytes::from(GOOD)).await.unwrap_err();
    assert_eq!(failed.code, Code::PageUnreadable);
    assert!(failed.message.contains("not read within"), "{failed}");
}

#[tokio::test]
async fn a_page_too_large_is_not_sent() {
    let parser = parser(&["serve"]);
    let page = Bytes::from(vec![b'x'; probity_extract::PAGE_BYTES_MAX + 1]);
    let failed = parser.extract(MediaKind::Text, "", page).await.unwrap_err();
    assert_eq!(failed.code, Code::PageTooLarge);
    assert!(parser.idle_processes().is_empty());
}
