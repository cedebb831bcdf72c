//! The rules from outside: whole tables of questions.

#[cfg(test)]
mod strategy;
