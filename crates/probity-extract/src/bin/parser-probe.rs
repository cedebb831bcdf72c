//! The confined process for tests: serves pages like `probity parse`, or tries to break out.
//!
//! Never shipped. Each attack ends with 0 if it was refused, 1 if it worked, 2 if the process is not confined.
#![expect(clippy::disallowed_methods, reason = "an attack starts programs and reads what it should not")]

use std::{net::TcpStream, os::unix::net::UnixStream, process::ExitCode};

use probity_types::web::page::MediaKind;

/// Its name, and whether it worked.
type Attack = (&'static str, fn() -> bool);

/// What a page that has taken over the parser would try, by name.
const ATTACKS: &[Attack] = &[
    ("read-file", || std::fs::read("/etc/passwd").is_ok()),
    ("read-own-memory-map", || std::fs::read("/proc/self/maps").is_ok()),
    ("list-folder", || std::fs::read_dir("/").is_ok()),
    ("write-file", || std::fs::write("/tmp/probity-parser-probe", "x").is_ok()),
    ("start-program", || std::process::Command::new("/bin/true").spawn().is_ok()),
    ("connect", || TcpStream::connect(listener()).is_ok()),
    ("connect-by-path", || UnixStream::connect("/run/dbus/system_bus_socket").is_ok()),
    ("listen", || std::net::TcpListener::bind("127.0.0.1:0").is_ok()),
    ("send-datagram", || std::net::UdpSocket::bind("127.0.0.1:0").is_ok()),
    ("start-thread", || std::thread::Builder::new().spawn(|| ()).is_ok()),
    ("signal-parent", || PARENT.get().is_some_and(|it| rustix::process::test_kill_process(*it).is_ok())),
    ("raise-limit", || {
        let more = rustix::process::Rlimit { current: None, maximum: None };
        rustix::process::setrlimit(rustix::process::Resource::Data, more).is_ok()
    }),
];

/// Known from before: afterwards the process cannot find out.
static PARENT: std::sync::OnceLock<rustix::process::Pid> = std::sync::OnceLock::new();

/// A port with a listener, named by the test.
fn listener() -> String {
    std::env::args().nth(2).unwrap_or_else(|| "127.0.0.1:9".to_owned())
}

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    match name.as_str() {
        "serve" => {
            return if probity_extract::serve(std::io::stdin(), std::io::stdout()).is_ok() { 0 } else { 2 }
                .into();
        }
        "texts" | "whole-texts" => return texts(&name, &std::env::args().nth(2).unwrap_or_default()),
        "names" => {
            let names: Vec<&str> = ATTACKS.iter().map(|(name, _)| *name).collect();
            return write(&names.join("\n"));
        }
        _ => {}
    }
    // The same attack without bounds shows that it would work: a control.
    let (name, confined) = match name.strip_prefix("free:") {
        Some(name) => (name, false),
        None => (name.as_str(), true),
    };
    let Some((_, attack)) = ATTACKS.iter().find(|(known, _)| *known == name) else { return 2.into() };
    if let Some(parent) = rustix::process::getppid() {
        PARENT.get_or_init(|| parent);
    }
    if confined && probity_extract::confine::confine().is_err() {
        return 2.into();
    }
    ExitCode::from(u8::from(attack()))
}

/// The text of every page in a folder, as one JSON object, with the processor time that reading them took: the main text
/// alone, as labelled pages have it, or all that is read.
fn texts(name: &str, folder: &str) -> ExitCode {
    const URL: &str = "https://example.org/";
    let Ok(entries) = std::fs::read_dir(folder) else { return 2.into() };
    let pages: Vec<(String, Vec<u8>)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, std::fs::read(entry.path()).ok()?)))
        .collect();
    let clock = || rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let before = clock();
    let texts: std::collections::BTreeMap<&str, String> = pages
        .iter()
        .map(|(file, bytes)| {
            let text = match name {
                "whole-texts" => probity_extract::extract(bytes, MediaKind::Html, URL)
                    .map(|page| page.text)
                    .unwrap_or_default(),
                _ => probity_extract::main_text(bytes, URL),
            };
            (file.as_str(), text)
        })
        .collect();
    let after = clock();
    let seconds = (after.tv_sec - before.tv_sec) as f64 + (after.tv_nsec - before.tv_nsec) as f64 / 1e9;
    write(&serde_json::json!({ "seconds": seconds, "texts": texts }).to_string())
}

fn write(text: &str) -> ExitCode {
    use std::io::Write as _;
    u8::from(writeln!(std::io::stdout(), "{text}").is_err()).into()
}
