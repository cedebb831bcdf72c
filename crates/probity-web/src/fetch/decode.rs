//! Decompresses a body while it arrives and stops at the limit, not after it.

use std::io::{self, Write};

use brotli_decompressor::DecompressorWriter;
use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use http::{HeaderMap, header::CONTENT_ENCODING};

use super::limits::RATIO_FREE_BYTES;

/// Chunks in which brotli returns its output.
const BROTLI_BUFFER_BYTES: usize = 16 * 1024;

/// The limits of a decompressed body.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimits {
    pub wire_bytes_max: u64,
    pub decoded_bytes_max: u64,
    pub ratio_max: u64,
    pub over: OverflowPolicy,
}

/// What happens to a body past its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OverflowPolicy {
    Refuse,
    /// Keeps what fits: a robots.txt is read up to its limit.
    Cut,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    TooLarge(String),
    Unreadable(String),
}

/// One body while it arrives.
pub(super) struct BodyDecoder {
    caps: BodyLimits,
    wire: u64,
    decoder: EncodingDecoder,
}

enum EncodingDecoder {
    Plain(BoundedSink),
    Gzip(Box<MultiGzDecoder<BoundedSink>>),
    Brotli(Box<DecompressorWriter<BoundedSink>>),
}

/// Whether more of the body is wanted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PushOutcome {
    Wanted,
    Enough,
}

impl BodyDecoder {
    /// One layer of an encoding that we asked for, or none. Nested layers are how bombs are built.
    pub(super) fn new(headers: &HeaderMap, caps: BodyLimits) -> Result<Self, BodyError> {
        let mut layers = headers.get_all(CONTENT_ENCODING).iter();
        let layer = layers.next().map_or(Ok("identity"), |value| value.to_str());
        let layer = layer.map_err(|_| BodyError::Unreadable("its encoding has no name".to_owned()))?;
        if layers.next().is_some() || layer.contains(',') {
            return Err(BodyError::Unreadable("it is packed more than once".to_owned()));
        }
        let sink = BoundedSink { bytes: Vec::new(), allowed: 0, full: false };
        let decoder = match layer.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => EncodingDecoder::Plain(sink),
            "gzip" | "x-gzip" => EncodingDecoder::Gzip(Box::new(MultiGzDecoder::new(sink))),
            "br" => EncodingDecoder::Brotli(Box::new(DecompressorWriter::new(sink, BROTLI_BUFFER_BYTES))),
            other => {
                return Err(BodyError::Unreadable(format!(
                    "it is packed as `{other}`, which nobody asked for"
                )));
            }
        };
        Ok(Self { caps, wire: 0, decoder })
    }

    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<PushOutcome, BodyError> {
        self.wire = self.wire.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        if self.wire > self.caps.wire_bytes_max && self.caps.over == OverflowPolicy::Refuse {
            return Err(BodyError::TooLarge(format!("more than {} bytes came", self.caps.wire_bytes_max)));
        }
        let believed = RATIO_FREE_BYTES.max(self.wire.saturating_mul(self.caps.ratio_max));
        let allowed = self.caps.decoded_bytes_max.min(believed);
        let sink = self.sink_mut();
        sink.allowed = usize::try_from(allowed).unwrap_or(usize::MAX);
        let outcome = match &mut self.decoder {
            EncodingDecoder::Plain(sink) => sink.write_all(chunk),
            EncodingDecoder::Gzip(decoder) => decoder.write_all(chunk),
            EncodingDecoder::Brotli(decoder) => decoder.write_all(chunk),
        };
        match (self.sink_mut().full, self.caps.over, outcome) {
            (true, OverflowPolicy::Cut, _) => Ok(PushOutcome::Enough),
            (true, OverflowPolicy::Refuse, _) => {
                Err(BodyError::TooLarge(format!("it unpacks to more than {allowed} bytes")))
            }
            (false, _, Ok(())) if self.wire > self.caps.wire_bytes_max => Ok(PushOutcome::Enough),
            (false, _, Ok(())) => Ok(PushOutcome::Wanted),
            (false, _, Err(error)) => Err(BodyError::Unreadable(format!("it cannot be unpacked: {error}"))),
        }
    }

    /// Bytes unpacked so far.
    pub(super) fn len(&mut self) -> u64 {
        u64::try_from(self.sink_mut().bytes.len()).unwrap_or(u64::MAX)
    }

    pub(super) fn finish(mut self) -> Result<Bytes, BodyError> {
        let cut = self.caps.over == OverflowPolicy::Cut;
        let outcome = match &mut self.decoder {
            // An empty body needs no encoding: `HEAD`-like responses and 204 say gzip and send nothing.
            EncodingDecoder::Gzip(decoder) if self.wire > 0 => decoder.try_finish(),
            EncodingDecoder::Brotli(decoder) if self.wire > 0 => decoder.close(),
            _ => Ok(()),
        };
        if let (Err(error), false) = (outcome, cut) {
            let full = self.sink_mut().full;
            let words = format!("it cannot be unpacked: {error}");
            return Err(if full { BodyError::TooLarge(words) } else { BodyError::Unreadable(words) });
        }
        Ok(Bytes::from(std::mem::take(&mut self.sink_mut().bytes)))
    }

    fn sink_mut(&mut self) -> &mut BoundedSink {
        match &mut self.decoder {
            EncodingDecoder::Plain(sink) => sink,
            EncodingDecoder::Gzip(decoder) => decoder.get_mut(),
            EncodingDecoder::Brotli(decoder) => decoder.get_mut(),
        }
    }
}

/// Takes unpacked bytes up to what is allowed at that moment.
struct BoundedSink {
    bytes: Vec<u8>,
    allowed: usize,
    full: bool,
}

impl Write for BoundedSink {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let room = self.allowed.saturating_sub(self.bytes.len());
        if piece.len() > room {
            self.full = true;
            self.bytes.extend_from_slice(piece.get(..room).unwrap_or(piece));
            return Err(io::Error::other("the limit is reached"));
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
