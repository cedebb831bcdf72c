//! A report as sentences and claims, each with its bytes and with what it cites.
