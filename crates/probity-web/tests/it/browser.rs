//! The real Chromium against a site on this machine. Where there is no Chromium the tests say so and pass.

use std::{fs, path::Path, sync::Arc, time::Duration};

use probity_types::{
    error::{Code, CodedError},
    web::page::{MediaKind, Provenance},
};
use probity_web::{
    browser::{self, Browser, RenderLimits, RenderedPage},
    fetch::AddressGuard,
};

use crate::fetch::site::{NOW, Site};

fn page(kind: &str, more: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{more}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body.as_bytes()].concat()
}

/// `None`, with a notice, where Chromium is not installed.
fn browser(site: &Site, folder: &Path) -> Option<Browser<AddressGuard>> {
    let Ok(program) = browser::find(None, "/usr/local/bin:/usr/bin:/bin".as_ref()) else {
        eprintln!("skipped: Chromium is not installed here");
        return None;
    };
    Some(Browser::new(program, folder, Arc::clone(site.fetcher().guard())))
}

async fn render(
    answer: fn(&str) -> Vec<u8>,
    limits: &RenderLimits,
) -> Option<(Result<RenderedPage, CodedError>, Site)> {
    let site = Site::start(move |path, _| answer(path)).await;
    let folder = tempfile::tempdir().unwrap();
    let browser = browser(&site, folder.path())?;
    let shown = browser.render("http://page.example/start", limits, NOW).await;
    Some((shown, site))
}

fn text(shown: &RenderedPage) -> String {
    String::from_utf8_lossy(&shown.html).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_scripts_build_is_there_as_shown() {
    let answer = |path: &str| match path {
        "/start" => b"HTTP/1.1 302 Found\r\nLocation: /page\r\nContent-Length: 0\r\n\r\n".to_vec(),
        "/data" => page("application/json", "", r#"{"count":42}"#),
        _ => page(
            "text/html; charset=utf-8",
            "Last-Modified: Wed, 01 Jul 2026 00:00:00 GMT\r\n",
            "<!doctype html><title>Ferries</title><div id=root>loading</div><script>\
             alert('wait');\
             fetch('/data').then(r=>r.json()).then(d=>{root.innerHTML='<p>Sails &lt; '+d.count+' times</p>';\
             const e=document.createElement('x-a');e.attachShadow({mode:'open'}).innerHTML='<p>In the shadow</p>';\
             root.append(e)})</script>",
        ),
    };
    let Some((shown, site)) = render(answer, &RenderLimits::default()).await else { return };
    let shown = shown.unwrap();
    assert!(
        text(&shown).contains("<p>Sails &lt; 42 times</p><x-a><p>In the shadow</p></x-a>"),
        "{}",
        text(&shown)
    );
    assert!(!text(&shown).contains("<script"), "{}", text(&shown));
    let record = &shown.record;
    assert_eq!(record.redirects, ["http://page.example/start"]);
    assert_eq!(
        (record.final_url.as_str(), record.status, record.media, &record.provenance),
        ("http://page.example/page", 200, MediaKind::Html, &Provenance::Rendered)
    );
    assert_eq!((record.address.clone(), record.fetched_at), (Some(site.address.to_string()), NOW));
    assert!(record.headers.iter().any(|(name, _)| name == "last-modified"));
    assert_eq!((shown.refused, shown.truncated), (0, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_asks_of_this_machine_is_refused_and_counted() {
    let answer = |_: &str| {
        page(
            "text/html",
            "",
            "<p id=a></p><script>fetch('http://127.0.0.1/').catch(()=>{a.textContent='refused'});\
             setTimeout(()=>{location='http://127.0.0.2/'},50)</script>",
        )
    };
    let Some((shown, _site)) = render(answer, &RenderLimits::default()).await else { return };
    let shown = shown.unwrap();
    assert!(text(&shown).contains(r#"<p id="a">refused</p>"#), "{}", text(&shown));
    assert_eq!((shown.refused, shown.record.final_url.as_str()), (2, "http://page.example/start"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_page_is_cut() {
    let answer = |_: &str| {
        page("text/html", "", "<script>for(let i=0;i<2000;i++)document.write('<p>ferry '+i+'</p>')</script>")
    };
    let limits = RenderLimits { html_bytes: 2000, ..RenderLimits::default() };
    let Some((shown, _site)) = render(answer, &limits).await else { return };
    let shown = shown.unwrap();
    assert_eq!((shown.html.len(), shown.truncated, shown.record.bytes), (2000, true, 2000));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_is_not_a_page() {
    let answer = |_: &str| page("application/octet-stream", "Content-Disposition: attachment\r\n", "bytes");
    let Some((shown, _site)) = render(answer, &RenderLimits::default()).await else { return };
    assert_eq!(shown.unwrap_err().code, Code::PageUnreadable);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_lets_go_ends_and_nothing_of_it_is_left() {
    let site = Site::start(|_, _| page("text/html", "", "<p>a</p><script>for(;;);</script>")).await;
    let folder = tempfile::tempdir().unwrap();
    let Some(browser) = browser(&site, folder.path()) else { return };
    let limits = RenderLimits {
        quiet_after: Duration::from_secs(60),
        whole: Duration::from_secs(3),
        ..RenderLimits::default()
    };
    let shown = browser.render("http://page.example/", &limits, NOW).await;
    assert_eq!(shown.unwrap_err().code, Code::Timeout);
    let needle = folder.path().to_str().unwrap().to_owned();
    let left = || {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let environments = processes.filter_map(|process| fs::read(process.path().join("environ")).ok());
        let running = environments.filter(|text| String::from_utf8_lossy(text).contains(&needle)).count();
        let folders = fs::read_dir(folder.path()).unwrap().flatten();
        let folders =
            folders.filter(|entry| entry.file_name().to_string_lossy().starts_with("browser-")).count();
        (running, folders)
    };
    for _ in 0..250 {
        if left() == (0, 0) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("left after five seconds: {:?} processes and folders", left());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_not_there_is_a_problem_with_its_status() {
    let answer = |_: &str| b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone".to_vec();
    let Some((shown, site)) = render(answer, &RenderLimits::default()).await else { return };
    let problem = shown.unwrap_err();
    assert_eq!((problem.code, problem.http_status), (Code::PageUnreachable, Some(404)));
    let folder = tempfile::tempdir().unwrap();
    let Some(browser) = browser(&site, folder.path()) else { return };
    drop(site);
    let problem = browser.render("http://page.example/", &RenderLimits::default(), NOW).await.unwrap_err();
    assert_eq!((problem.code, problem.http_status), (Code::PageUnreachable, None));
}
