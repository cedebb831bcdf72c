//! Pages made from the code.
