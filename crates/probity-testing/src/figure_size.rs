//! How much a test that yields a figure measures.

/// Little, unless the figures ask for all of it (`FIGURES_SIZE=full`).
#[expect(clippy::disallowed_methods, reason = "a setting of the measurement, not of the product")]
pub fn sized<T>(quick: T, full: T) -> T {
    if std::env::var_os("FIGURES_SIZE").is_some_and(|size| size == "full") { full } else { quick }
}
