//! The only module of this crate that starts processes: Chromium, with fixed arguments, an empty environment
//! and two pipes.
//!
//! Chromium talks on the descriptors 3 and 4 and ends by itself once they close, so it does not outlive a
//! killed Probity. Placing pipes there takes `unsafe` code, or a shell: its script is constant and every
//! value that changes is an argument of it.
#![expect(clippy::disallowed_methods, reason = "the only module of this crate that starts processes")]

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
};

use tokio::{
    process::{Child, Command},
    runtime::Handle,
    sync::oneshot,
};

use super::{confine, profile::ChromiumProfile};

/// Starts Chromium with no core file (it would contain a page's memory), at most a gigabyte per process, of
/// which a large application needs half, its pipes on the descriptors 3 and 4, and nothing from a terminal.
const SCRIPT: &str = r#"ulimit -c 0; ulimit -d 1048576; exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// The heap limit of a page's scripts: large applications need half of it.
const SCRIPT_MEBIBYTES: u32 = 256;

/// Arguments that never change. Grouped by what they keep Chromium from.
const WORDS: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    // Contacting any host but the page's servers.
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    // Ways around the proxy: loopback, names of its own, QUIC, WebRTC.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--dns-prefetch-disable",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    // What reading a page does not need.
    "--disable-features=AutofillServerCommunication,BackForwardCache,CertificateTransparencyComponentUpdater,\
     DialMediaRouteProvider,HttpsUpgrades,InterestFeedContentSuggestions,MediaRouter,NetworkTimeServiceQuerying,\
     OptimizationHints,Prerender2,PreconnectToSearch,Translate,WebUSB,WebBluetooth",
    "--disable-blink-features=WebOTP",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-hang-monitor",
    "--disable-notifications",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-speech-api",
    "--disable-renderer-backgrounding",
    "--hide-scrollbars",
    "--mute-audio",
    "--window-size=1280,2000",
];

/// Everything in Chromium's environment. Nothing of ours is inherited.
fn environment(profile: &ChromiumProfile) -> [(&'static str, OsString); 6] {
    let (home, temporary) = (profile.home(), profile.temporary());
    [
        ("PATH", "/usr/bin:/bin".into()),
        ("HOME", home.clone().into()),
        ("XDG_CONFIG_HOME", home.clone().into()),
        ("XDG_CACHE_HOME", home.into()),
        ("TMPDIR", temporary.into()),
        ("LANG", "C.UTF-8".into()),
    ]
}

/// The command line after the program. No argument comes from a page or a question.
pub fn command_arguments(profile: &ChromiumProfile, port: u16, root: bool) -> Vec<OsString> {
    let mut words: Vec<OsString> = WORDS.iter().map(OsString::from).collect();
    words.push(format!("--proxy-server=http://127.0.0.1:{port}").into());
    words.push(format!("--js-flags=--max-old-space-size={SCRIPT_MEBIBYTES}").into());
    let mut data = OsString::from("--user-data-dir=");
    data.push(profile.data());
    words.push(data);
    if root {
        // Chromium's own sandbox refuses root; `confine` confines it instead.
        words.push("--no-sandbox".into());
    }
    words
}

/// Starts Chromium inside its bounds. The thread that starts it confines itself first; its child inherits that.
pub async fn start(program: &Path, profile: &ChromiumProfile, port: u16) -> io::Result<Child> {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(SCRIPT).arg(program).args(command_arguments(profile, port, confine::is_root()));
    command
        .env_clear()
        .envs(environment(profile))
        .current_dir(profile.home())
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::from(profile.log()?))
        .kill_on_drop(true);
    let (own, program): (PathBuf, PathBuf) = (profile.path().to_owned(), program.to_owned());
    let runtime = Handle::current();
    let (sender, started) = oneshot::channel();
    thread::Builder::new().name("browser-start".to_owned()).spawn(move || {
        let _inside = runtime.enter();
        let started = confine::confine_thread(&own, &program, port).and_then(|()| command.spawn());
        // The receiver is gone: the child is dropped with the answer, and killed by that.
        sender.send(started).ok();
    })?;
    started.await.map_err(|_| io::Error::other("the starting thread ended"))?
}

/// Kills Chromium and all that it started: they are one group, which none of its processes leaves.
pub fn kill_group(leader: u32) {
    let Some(leader) = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw) else { return };
    if let Err(error) = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL) {
        tracing::debug!(%error, "process group of Chromium is empty");
    }
}
