//! The passages of a page that a claim is most likely to rest on.
