//! Shows every page with invented researches: `cargo run -p probity-page --example preview [port]`.

mod journal;
mod preview_backend;
mod preview_settings;

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use probity_page::{PageLogin, PageName, router};

/// How often the running research moves.
const PACE: Duration = Duration::from_millis(900);

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port: u16 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let door = Arc::new(PageLogin::new(listener.local_addr()?.port(), PageName::Own)?);
    let invented = Arc::new(preview_backend::PreviewBackend::new());
    announce(&door)?;
    let moving = invented.clone();
    let moves = async move {
        loop {
            tokio::time::sleep(PACE).await;
            if !moving.advance() {
                // And again from the beginning: whoever looks always finds one that runs.
                moving.events.send_replace(2);
            }
        }
    };
    let serving = axum::serve(listener, router(invented, door));
    tokio::select! { served = serving.into_future() => served?, () = moves => {} }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the address is all that this program says")]
fn announce(door: &PageLogin) -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", door.login_url()?);
    println!("{}", door.login_url()?);
    Ok(())
}
