//! The confined process: gives up every right, then answers requests until its input ends.

use std::io::{self, Read, Write};

use rustix::time::{ClockId, clock_gettime};

use crate::{
    confine, document, extract,
    frame::{ParseReply, read_request, write_reply},
};

/// After this much work the process is replaced by a fresh one. Far below its limit, so that no page reaches
/// it because of the pages before.
const WORK_SECONDS_MAX: i64 = 5;

/// What `probity parse` runs. Confines this process first: there is no way back.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    confine::confine()?;
    while let Some((head, page)) = read_request(&mut input)? {
        let page = match head.document {
            Some(format) => document(&page, format, &head.url),
            None => extract(&page, head.media, &head.url),
        };
        let is_last = clock_gettime(ClockId::ProcessCPUTime).tv_sec >= WORK_SECONDS_MAX;
        write_reply(&mut output, &ParseReply { page, is_last })?;
        if is_last {
            return Ok(());
        }
    }
    Ok(())
}
