//! The bundle as its readers meet it: whole, damaged, forged.
