//! A text as words, each with its bytes: the same rules for claims and pages, for every script.
