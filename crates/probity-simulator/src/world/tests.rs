//! Through the public door: calls in, answers out.
