//! A document of our own as a PDF: Chromium shows it without scripts and without network, and prints it.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use probity_types::error::{Code, CodedError};
use tokio::time::timeout;

use super::{Browser, ChromiumDriver, ConnectionPolicy, ResourcePolicy};

/// Five hundred pages take ten seconds; the rest is for a busy machine.
const PRINT_MAX: Duration = Duration::from_secs(60);
/// Nothing is loaded: the document contains everything.
const WIRE_BYTES: u64 = 0;

impl<G: ConnectionPolicy> Browser<G> {
    /// `html` as a PDF. Its scripts do not run, and whatever it refers to outside itself is not loaded.
    pub async fn print(&self, html: &str) -> Result<Vec<u8>, CodedError> {
        let closed = |_| CodedError::new(Code::Cancelled, "the browser is closed");
        let _place = self.side_by_side.acquire().await.map_err(closed)?;
        let printed = timeout(PRINT_MAX, Box::pin(self.print_without_timeout(html))).await;
        printed.map_err(|_| CodedError::new(Code::Timeout, "the report was not printed in time"))?
    }

    async fn print_without_timeout(&self, html: &str) -> Result<Vec<u8>, CodedError> {
        let (mut running, proxy) = self.start_chromium(WIRE_BYTES).await?;
        let Some(pipe) = running.pipe() else {
            return Err(CodedError::new(Code::PageUnreadable, "Chromium has no pipes"));
        };
        let mut driver = ChromiumDriver::new(pipe, self.gate.as_ref(), &proxy, ResourcePolicy::Text);
        driver.start().await?;
        let printed = driver.print(html).await;
        drop(driver);
        running.end().await;
        STANDARD.decode(printed?).map_err(|error| {
            CodedError::new(Code::PageUnreadable, &format!("Chromium printed nothing: {error}"))
        })
    }
}
