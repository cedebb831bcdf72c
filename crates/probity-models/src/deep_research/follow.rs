//! Watching a run: listen where a stream is open or can be opened, look once otherwise.

use std::time::Duration;

use probity_research::{
    finding::{Ear, Finding, Sighting},
    state::Research,
};
use tokio::time::timeout;

use super::{
    DeepResearch,
    streams::{Held, OpenStream},
    watch::{Told, Watch},
};
use crate::{
    gemini::client::Opened,
    transport::{ResponseBody, Transport},
};

/// Longest listening without news: a driver wants to hear at times that all is well.
pub const LISTEN_MAX: Duration = Duration::from_secs(15);
/// After the first news, for what comes with it.
pub const SETTLE: Duration = Duration::from_secs(1);
/// So many listenings without one byte, and the stream is taken for dead: a sleeping laptop's connections
/// do not say that they ended.
const SILENCES_MAX: u32 = 2;
/// Pieces taken in one listening: a stream that never pauses must still let its driver speak.
const PIECES_MAX: usize = 10_000;

/// What a listening ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    News,
    Nothing,
    /// The run has ended, says the stream.
    Over,
    /// The stream has ended, for whatever reason; that says nothing of the run.
    Closed,
}

/// When to stop listening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    News,
    Closed,
}

impl<T: Transport> DeepResearch<T> {
    #[tracing::instrument(level = "debug", skip_all, fields(research = %research.id))]
    pub(super) async fn follow(&self, research: &Research, remote_id: &str, cursor: Option<&str>) -> Finding {
        let mut held = match self.streams.take(research.id, remote_id) {
            Some(held) => held,
            None => match self.opened(research, remote_id, cursor).await {
                Ok(held) => held,
                Err(NoStream::Look) => {
                    return self.look(research, remote_id, cursor.map(str::to_owned), None).await;
                }
                Err(NoStream::Found(finding)) => return *finding,
            },
        };
        let Some(stream) = held.stream() else {
            return self.look(research, remote_id, cursor.map(str::to_owned), None).await;
        };
        let heard = listen(stream).await;
        tracing::debug!(?heard, "listened");
        if matches!(heard, Heard::News | Heard::Nothing) && stream.silences < SILENCES_MAX {
            let so_far = stream.watch.so_far();
            let progress = stream.watch.progress();
            return Finding::Seen(Box::new(Sighting {
                progress,
                cursor: stream.watch.cursor(),
                ear: Ear::Open,
                so_far,
            }));
        }
        let watch = held.close();
        let cursor = watch.as_ref().and_then(Watch::cursor).or(cursor.map(str::to_owned));
        self.look(research, remote_id, cursor, watch).await
    }

    async fn opened(
        &self,
        research: &Research,
        remote_id: &str,
        cursor: Option<&str>,
    ) -> Result<Held<'_, T::Body>, NoStream> {
        let permit = self.streams.room().ok_or(NoStream::Look)?;
        match self.client.stream(remote_id, cursor).await {
            Opened::Stream(body, frames) => {
                let watch = match cursor {
                    Some(cursor) => Watch::from_cursor(&research.progress, cursor.to_owned()),
                    None => Watch::from_start(&research.progress, None),
                };
                Ok(self.streams.hold(research.id, remote_id, body, frames, watch, permit))
            }
            Opened::NoStream => Err(NoStream::Look),
            Opened::Refused(refusal) => match refusal.problem.http_status {
                Some(403 | 404 | 429) => {
                    Err(NoStream::Found(Box::new(super::look::refused(refusal.problem))))
                }
                _ => Err(NoStream::Look),
            },
            Opened::Nothing(problem) => {
                tracing::debug!(code = %problem.code, "no stream");
                Err(NoStream::Look)
            }
        }
    }
}

/// Why there is no stream, and what follows.
enum NoStream {
    Look,
    Found(Box<Finding>),
}

/// Until there is news and then a moment longer, or until the limit.
async fn listen<B: ResponseBody>(stream: &mut OpenStream<B>) -> Heard {
    stream.silences = stream.silences.saturating_add(1);
    match timeout(LISTEN_MAX, hear(stream, Until::News)).await {
        Err(_) => Heard::Nothing,
        Ok(Heard::News) => timeout(SETTLE, hear(stream, Until::Closed)).await.unwrap_or(Heard::News),
        Ok(heard) => heard,
    }
}

async fn hear<B: ResponseBody>(stream: &mut OpenStream<B>, until: Until) -> Heard {
    for _ in 0..PIECES_MAX {
        let mut news = false;
        loop {
            let frame = match stream.frames.next_frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(%error, "stream dropped");
                    return Heard::Closed;
                }
            };
            match stream.watch.take(&frame) {
                Told::Over => return Heard::Over,
                Told::Broken => return Heard::Closed,
                Told::News => news = true,
                Told::Nothing => {}
            }
        }
        if news && until == Until::News {
            return Heard::News;
        }
        match stream.body.chunk().await {
            Ok(Some(piece)) => {
                stream.silences = 0;
                stream.frames.push(&piece);
            }
            Ok(None) | Err(_) => return last_words(stream),
        }
    }
    Heard::News
}

/// A stream may end inside its last frame.
fn last_words<B>(stream: &mut OpenStream<B>) -> Heard {
    match stream.frames.finish() {
        Ok(Some(frame)) if stream.watch.take(&frame) == Told::Over => Heard::Over,
        Ok(_) | Err(_) => Heard::Closed,
    }
}
