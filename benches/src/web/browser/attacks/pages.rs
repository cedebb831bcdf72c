//! Pages that try, from inside Chromium, to reach what only this machine can reach. Each tries one way at every target.

/// One way to make a browser ask for an address.
pub struct BrowserAttack {
    pub name: &'static str,
    /// HTML with `{T}` for the address, `{W}` for the same as a WebSocket's, `{H}` for host and port.
    html: &'static str,
    /// Lines of the answer's head, with the same words.
    pub head: &'static str,
    pub room: AttackPageNeed,
}

/// What a way needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttackPageNeed {
    /// Shares a page with others.
    Shared,
    /// A page with nothing else on it that takes the browser's time.
    Page,
    /// A page for each target: it leads the page itself away.
    PagePerTarget,
}

const fn way(name: &'static str, html: &'static str) -> BrowserAttack {
    BrowserAttack { name, html, head: "", room: AttackPageNeed::Shared }
}

const fn leaving(name: &'static str, html: &'static str) -> BrowserAttack {
    BrowserAttack { name, html, head: "", room: AttackPageNeed::PagePerTarget }
}

const fn headed(name: &'static str, head: &'static str) -> BrowserAttack {
    BrowserAttack { name, html: "<img src='{T}'>", head, room: AttackPageNeed::PagePerTarget }
}

pub const WAYS: &[BrowserAttack] = &[
    way("img", "<img src='{T}'>"),
    way("picture", "<picture><source srcset='{T}'><img src='/x'></picture>"),
    way("script", "<script src='{T}'></script>"),
    way("module", "<script type=module>import('{T}').catch(()=>0)</script>"),
    way("stylesheet", "<link rel=stylesheet href='{T}'>"),
    way("css-import", "<style>@import url('{T}');</style>"),
    way("css-background", "<div style=\"background:url('{T}')\">a</div>"),
    way(
        "font",
        "<style>@font-face{font-family:f{N};src:url('{T}')}</style><p style='font-family:f{N}'>a</p>",
    ),
    way("fetch", "<script>fetch('{T}').catch(()=>0)</script>"),
    way(
        "fetch-no-cors",
        "<script>fetch('{T}',{mode:'no-cors',method:'POST',body:'a'}).catch(()=>0)</script>",
    ),
    way("fetch-keepalive", "<script>fetch('{T}',{mode:'no-cors',keepalive:true}).catch(()=>0)</script>"),
    way("xhr", "<script>{let x=new XMLHttpRequest();x.open('GET','{T}');x.send()}</script>"),
    way("beacon", "<script>navigator.sendBeacon('{T}','a')</script>"),
    way("websocket", "<script>new WebSocket('{W}')</script>"),
    way("event-source", "<script>new EventSource('{T}')</script>"),
    way("iframe", "<iframe src='{T}'></iframe>"),
    way("iframe-srcdoc", "<iframe srcdoc=\"<img src='{T}'>\"></iframe>"),
    way("iframe-refresh", "<iframe srcdoc=\"<meta http-equiv=refresh content='0;url={T}'>\"></iframe>"),
    way(
        "form",
        "<iframe name=f{N}></iframe><form id=g{N} method=post target=f{N} action='{T}'></form><script>g{N}.submit()</script>",
    ),
    way("window-open", "<script>window.open('{T}')</script>"),
    way(
        "redirects",
        "<img src='/hop/3?{T}'><script>fetch('/hop/2?{T}',{mode:'no-cors'}).catch(()=>0)</script>",
    ),
    way(
        "prefetch",
        "<link rel=prefetch href='{T}'><link rel=preload as=image href='{T}'><link rel=modulepreload href='{T}'>",
    ),
    way("preconnect", "<link rel=dns-prefetch href='//{H}'><link rel=preconnect href='{T}'>"),
    way(
        "speculation",
        "<script type=speculationrules>{\"prefetch\":[{\"source\":\"list\",\"urls\":[\"{T}\"]}],\"prerender\":[{\"source\":\"list\",\"urls\":[\"{T}\"]}]}</script>",
    ),
    way(
        "worker",
        "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('{T}',{mode:'no-cors'}).catch(()=>0);new WebSocket('{W}')\"])))</script>",
    ),
    way(
        "worker-import",
        "<script>new Worker(URL.createObjectURL(new Blob([\"importScripts('{T}')\"])))</script>",
    ),
    way(
        "shared-worker",
        "<script>new SharedWorker(URL.createObjectURL(new Blob([\"fetch('{T}',{mode:'no-cors'})\"])))</script>",
    ),
    way("object", "<object data='{T}'></object><embed src='{T}'>"),
    way("media", "<video src='{T}' preload=auto></video><audio src='{T}' preload=auto></audio>"),
    way(
        "track",
        "<video src='/x'><track default kind=captions src='{T}'></video><input type=image src='{T}'>",
    ),
    way("svg", "<svg><image href='{T}'/><use href='{T}#a'/></svg>"),
    way("icon", "<link rel=icon href='{T}'><link rel=manifest href='{T}'>"),
    way("ping", "<a id=p{N} href='#a' ping='{T}'>a</a><script>p{N}.click()</script>"),
    way("download", "<a id=d{N} href='{T}' download>a</a><script>d{N}.click()</script>"),
    way("webtransport", "<script>try{new WebTransport('https://{H}/')}catch(e){}</script>"),
    leaving("location", "<script>location='{T}'</script>"),
    leaving("refresh", "<meta http-equiv=refresh content='0;url={T}'>"),
    leaving("form-top", "<form id=g method=post action='{T}'></form><script>g.submit()</script>"),
    leaving("redirect-top", "<script>location='/hop/3?{T}'</script>"),
    headed("header-refresh", "Refresh: 0;url={T}\r\n"),
    headed("header-link", "Link: <{T}>; rel=preload; as=image, <{T}>; rel=stylesheet\r\n"),
    headed("header-report", "Content-Security-Policy: img-src 'none'; report-uri {T}\r\n"),
    headed("header-service", "Alt-Svc: h2=\"{H}\", h3=\"{H}\"; ma=9\r\n"),
    BrowserAttack {
        name: "webrtc",
        html: "<script>{let c=new RTCPeerConnection({iceServers:[{urls:'stun:{H}'},{urls:'turn:{H}?transport=tcp',username:'a',credential:'b'},{urls:'turn:{H}?transport=udp',username:'a',credential:'b'}]});c.createDataChannel('a');c.createOffer().then(o=>c.setLocalDescription(o))}</script>",
        head: "",
        room: AttackPageNeed::Page,
    },
];

impl BrowserAttack {
    fn filled(text: &str, target: &str, number: usize) -> String {
        let host = target.strip_prefix("http://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        // Spelled out: WebRTC has another port of its own.
        let port = host.rsplit(':').next().is_some_and(|last| last.parse::<u16>().is_ok());
        let host = if port { host.to_owned() } else { format!("{host}:80") };
        text.replace("{T}", target)
            .replace("{W}", &target.replacen("http", "ws", 1))
            .replace("{H}", &host)
            .replace("{N}", &number.to_string())
    }

    /// A page leads away once; every target has a page of its own there.
    pub fn html(&self, targets: &[String]) -> String {
        targets.iter().enumerate().map(|(number, target)| Self::filled(self.html, target, number)).collect()
    }

    pub fn head(&self, targets: &[String]) -> String {
        targets.iter().map(|target| Self::filled(self.head, target, 0)).collect()
    }
}

/// Ways to files of this machine; what they bring must not be on the page.
pub const FILES: &str = "<iframe src='file:///etc/passwd'></iframe><object data='file:///etc/passwd'></object>\
    <script>const say=t=>document.body.append('got:'+t);\
    fetch('file:///etc/passwd').then(r=>r.text()).then(say).catch(()=>0);\
    {let x=new XMLHttpRequest();x.open('GET','file:///etc/passwd');x.onload=()=>say(x.responseText);try{x.send()}catch(e){}}\
    window.open('file:///etc/passwd');\
    {let f=document.createElement('iframe');f.src='view-source:file:///etc/passwd';document.body.append(f)}\
    setTimeout(()=>{location='file:///etc/passwd'},100)</script>";
