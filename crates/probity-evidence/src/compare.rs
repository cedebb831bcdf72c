//! A claim beside the page it cites: what speaks against it.
