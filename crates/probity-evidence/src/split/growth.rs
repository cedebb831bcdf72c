//! Texts made to hold the reader up: ten times the text must not take a hundred times as long.

use std::time::{Duration, Instant};

use super::split;

/// Below this a time says nothing.
const NOISE: Duration = Duration::from_millis(30);
const TRIES_MAX: usize = 5;

#[track_caller]
#[expect(clippy::disallowed_methods, reason = "the test measures how long reading takes")]
fn check(name: &str, make: impl Fn(usize) -> String) {
    let time = |bytes: usize| {
        let text = make(bytes);
        let began = Instant::now();
        let pieces = split(&text, &[], &[]).pieces.len();
        eprintln!("{name}: {} bytes, {pieces} pieces, {:?}", text.len(), began.elapsed());
        began.elapsed()
    };
    // A machine that is shared stops for seconds: what grows too fast does so every time.
    let mut measured = Vec::new();
    let grows_slowly = (0..TRIES_MAX).any(|_| {
        let (short, long) = (time(100_000), time(1_000_000));
        measured.push((short, long));
        long < 40 * short.max(NOISE)
    });
    assert!(grows_slowly, "{name}: {measured:?}");
}

#[test]
fn time_grows_with_the_text_and_no_faster() {
    for piece in [
        "<a href=\"x\" ",
        "<a href=\"x\">",
        "<sup>",
        "[",
        "[a](",
        "[a][",
        "]",
        "\\[",
        "“a ",
        "„",
        "\" x",
        "“. . . ” ",
        "> > a\n",
        "*a**b",
        "a[^1] b [^1]: c\n",
        "A fact. [1], [2], ",
        "| a |---| b ",
        "|---|\n",
        "```x\n",
        "(Smith 2020) ",
        "(",
        ".[1]",
        "[1]; ",
        "In a b c [1]—x y z w ",
        "12 + 30 = 42 and 5 % of 7; ",
        "&amp;",
        "¹",
        "http://a.b/)))))))))))",
        "http://a.b/_",
        "http://[",
        "---\n",
        "1. 1. ",
        "a\n",
        "\u{e200}",
        "    \n  a",
        "[1]: http://a.b/c\n[1] ",
    ] {
        check(piece, |bytes| piece.repeat(bytes / piece.len()));
    }
    check("runs of backticks", |bytes| {
        let mut text = String::new();
        let mut run = 2_000;
        while text.len() < bytes {
            text.push_str(&"`".repeat(run));
            text.push(' ');
            run = if run == 1 { 2_000 } else { run - 1 };
        }
        text
    });
    check("fences ever shorter", |bytes| {
        let mut text = String::new();
        let mut run = 1_400;
        while text.len() < bytes && run > 3 {
            text.push_str(&"`".repeat(run));
            text.push_str("x\n");
            run -= 1;
        }
        text
    });
    check("links", |bytes| {
        (0..bytes / 40).map(|n| format!("See [page {n}](http://a.example/{n}) now.\n")).collect()
    });
    check("entries", |bytes| (0..bytes / 30).map(|n| format!("- http://a.example/{n}\n")).collect());
    check("authors", |bytes| {
        let entries = (0..bytes / 80).map(|n| format!("- Smith {} http://a.example/{n}\n", 1000 + n % 9000));
        let marks = (0..bytes / 40).map(|n| format!("So (Smith {}). ", 1000 + n % 9000));
        format!("## Sources\n{}\n## Text\n{}", entries.collect::<String>(), marks.collect::<String>())
    });
}
