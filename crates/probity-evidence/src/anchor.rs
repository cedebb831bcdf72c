//! Quotations: does what is said to stand on a page stand there, and where?
