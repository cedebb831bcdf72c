//! The only module here that prints: figures on stdout, what is going on on stderr.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is the one door to the terminal")]

pub fn line(text: &str) {
    println!("{text}");
}

pub fn progress(text: &str) {
    eprintln!("   … {text}");
}
