//! A site with one page that a script builds and several that make a browser's life hard.
#![expect(clippy::disallowed_methods, reason = "a server beside the measured part")]

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::sleep,
};

/// Paragraphs that the script makes of the site's data.
pub const PARAGRAPHS: usize = 200;

/// What a reader sees of the page, and a program without scripts does not.
pub fn sentence(number: usize) -> String {
    format!(
        "Ferry {number} sails at noon with {} passengers and returns before the lamps are lit.",
        number * 7
    )
}

pub const BUILT: &str = "/built";
/// Pages that do not end by themselves, by name.
pub const HOSTILE: [(&str, &str); 9] = [
    ("loop", "<p>a</p><script>for(;;);</script>"),
    (
        "memory",
        "<script>let a=[];setInterval(()=>{for(let i=0;i<50;i++)a.push(new Array(1e5).fill(Math.random()))},1)</script>",
    ),
    ("buffers", "<script>let a=[];setInterval(()=>{a.push(new Uint8Array(5e7).fill(1))},1)</script>"),
    ("dialogs", "<script>setInterval(()=>{alert(1);confirm(2);prompt(3)},1)</script>"),
    ("windows", "<script>setInterval(()=>window.open('/hostile/windows'),5)</script>"),
    ("requests", "<script>let n=0;setInterval(()=>{for(let i=0;i<20;i++)fetch('/none/'+n++)},5)</script>"),
    (
        "growing",
        "<script>setInterval(()=>{for(let i=0;i<500;i++)document.body.append(document.createElement('p'))},1)</script>",
    ),
    (
        "workers",
        "<script>for(let i=0;i<40;i++)new Worker(URL.createObjectURL(new Blob(['for(;;);'])))</script>",
    ),
    ("endless", "<img src='/drip'><script>fetch('/drip')</script>"),
];

pub async fn start() -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(answer(client));
        }
    });
    Ok(address)
}

async fn answer(mut client: TcpStream) {
    let mut piece = vec![0; 8192];
    let count = client.read(&mut piece).await.unwrap_or(0);
    let head = String::from_utf8_lossy(piece.get(..count).unwrap_or_default()).into_owned();
    let path = head.split(' ').nth(1).unwrap_or("/");
    if path == "/drip" {
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n").await.ok();
        while client.write_all(b"a").await.is_ok() {
            sleep(Duration::from_millis(50)).await;
        }
        return;
    }
    let body = body(path);
    let length = body.len();
    let text =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}");
    client.write_all(text.as_bytes()).await.ok();
    client.shutdown().await.ok();
}

fn body(path: &str) -> String {
    if let Some(name) = path.strip_prefix("/hostile/") {
        let page = HOSTILE.iter().find(|(known, _)| *known == name);
        return page.map(|(_, html)| format!("<!doctype html><body>{html}</body>")).unwrap_or_default();
    }
    match path {
        BUILT => "<!doctype html><html lang=en><title>Ferries</title><body><main id=app>loading</main>\
                  <script src='/script'></script></body></html>"
            .to_owned(),
        "/script" => "fetch('/data').then(r=>r.json()).then(all=>{app.innerHTML='<h1>Timetable</h1>';\
                      for(const text of all){const p=document.createElement('p');p.textContent=text;app.append(p)}})"
            .to_owned(),
        "/data" => serde_json::to_string(&(0..PARAGRAPHS).map(sentence).collect::<Vec<_>>()).unwrap_or_default(),
        _ => String::new(),
    }
}
