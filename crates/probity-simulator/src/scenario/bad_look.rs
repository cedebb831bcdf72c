//! What every call about a run gets in the scenario `bad-look` instead of an answer that can be read.

use crate::named_set::named;

named! {
    /// One way in which no look at a run succeeds, for good.
    pub enum BadLookKind {
    /// HTML with status 200.
    Html = "html",
    /// The error page of a proxy.
    BadGateway = "bad-gateway",
    /// An answer that breaks off, although its length promises more.
    Cut = "cut",
    /// A list where an object belongs.
    Shape = "shape",
    /// An answer without a status.
    NoStatus = "no-status",
    /// The answer about another run, complete in itself.
    OtherId = "other-id",
    /// A redirect to another host.
    Redirect = "redirect",
    /// The connection is closed without one byte.
    Lost = "lost",
    /// Nothing is ever answered.
    Hang = "hang",
    /// A few bytes now and then, for ever.
    Drip = "drip",
    /// Bytes without end, as fast as they are taken.
    Endless = "endless",
    }
}
