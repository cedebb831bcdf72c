//! Texts made to hold the checker up: the time they take grows with their size and no faster, limits of time and
//! signals hold, and one that was killed twice does not slow later commands down.
#![expect(clippy::disallowed_methods, reason = "tests measure how long commands take")]

use std::{
    fs,
    io::{Read as _, Write as _},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use probity_testing::{figure_size::sized, stolen_time::measured_seconds};

use crate::harness::{World, finish, wait_until};

/// Ten times the text may take this many times as long: some room above ten for a loaded machine, far below a hundred.
const GROWTH_MAX: f64 = 20.0;
/// A later command may take this much longer beside a check that was set aside; a busy machine makes it noisy.
const AFTER_KILL_MAX: f64 = 3.0;
/// How long after its limit of time a check may go on: five seconds, and some room for a loaded machine.
const OVERTIME_MAX: Duration = Duration::from_secs(7);

/// The name of a kind of text, and a text of it with this many bytes.
type TextKind = (&'static str, fn(usize) -> String);

/// Every kind of text that made a reader of Markdown or ours slow once, by name: the piece that is repeated.
fn kinds() -> [TextKind; 18] {
    fn repeated(piece: &str, bytes: usize) -> String {
        piece.repeat(bytes / piece.len() + 1)
    }
    [
        ("html-links", |bytes| repeated("<a href=\"x\" ", bytes)),
        ("html-closed", |bytes| repeated("<a href=\"x\">", bytes)),
        ("links", |bytes| {
            let links = (0..bytes / 44).map(|n| format!("See [page {n}](http://127.0.0.1/{n:08}) here.\n"));
            links.collect()
        }),
        ("backticks", |bytes| {
            let mut text = String::new();
            let mut run = 1;
            while text.len() < bytes {
                text.push_str(&"`".repeat(run % 3_000 + 1));
                text.push(' ');
                run += 1;
            }
            text
        }),
        ("brackets", |bytes| repeated("[", bytes)),
        ("bracket-pairs", |bytes| repeated("[a](", bytes)),
        ("quotes", |bytes| repeated("“a ", bytes)),
        ("nested-quotes", |bytes| repeated("> > > a\n", bytes)),
        ("emphasis", |bytes| repeated("*a**b", bytes)),
        ("footnotes", |bytes| repeated("a[^1] b [^1]: c\n", bytes)),
        ("dangling", |bytes| repeated("A fact. [1], [2], ", bytes)),
        ("table", |bytes| repeated("| a |---| b ", bytes)),
        ("fences", |bytes| repeated("```x\n", bytes)),
        ("entries", |bytes| {
            let entries = (0..bytes / 36).map(|n| format!("[{}]: http://127.0.0.1/{n:08}\n", n % 900));
            entries.collect()
        }),
        ("authors", |bytes| repeated("Rain falls (Smith 2020). ", bytes)),
        ("marks-behind", |bytes| repeated(".[1]", bytes)),
        ("figures", |bytes| repeated("12 + 30 = 42 and 5 % of 7; ", bytes)),
        ("entities", |bytes| repeated("&amp;&lt;", bytes)),
    ]
}

/// How long a check of this text takes, and what it said.
fn timed(world: &World, name: &str, text: &str) -> (Duration, String) {
    world.write(name, text);
    let started = Instant::now();
    let done = world.run(&["verify", name, "--no-judge", "--fail-on", "none"]);
    assert!(matches!(done.code, 0 | 1 | 5), "{name}: {}", done.err);
    (started.elapsed(), done.err)
}

#[test]
fn ten_times_the_text_takes_about_ten_times_as_long() {
    measured_seconds("documents.growth", || {
        // Ten times as much is the most that is read of a document.
        let small = sized(50_000, 200_000);
        let kinds = kinds();
        let mut worst = (0.0, "none");
        for (name, make) in &kinds {
            let world = World::new();
            let (short, _) = timed(&world, "small.md", &make(small));
            let (long, said) = timed(&world, "large.md", &make(10 * small));
            let ratio = long.as_secs_f64() / short.as_secs_f64();
            eprintln!("{name}: {:.2} s, then {:.2} s ({said})", short.as_secs_f64(), long.as_secs_f64());
            if ratio > worst.0 {
                worst = (ratio, *name);
            }
        }
        eprintln!(
            "figure: documents.growth {:.1} times for 10 times the size, {} kinds",
            worst.0,
            kinds.len()
        );
        eprintln!("figure: documents.growth.note the worst kind is {}, {} bytes", worst.1, 10 * small);
        assert!(worst.0 <= GROWTH_MAX, "{worst:?}");
    });
}

#[test]
fn other_formats_are_bounded_by_the_confined_parser() {
    let world = World::new();
    let size = sized(1_000_000, 10_000_000);
    for (name, piece) in [("a.html", "<div><a href=x>"), ("b.html", "<table><tr><td>"), ("c.txt", "a.\n")] {
        world.write(name, &piece.repeat(size / piece.len()));
        let started = Instant::now();
        let done = world.run(&["verify", name, "--no-judge", "--fail-on", "none"]);
        assert!(matches!(done.code, 0 | 1 | 5), "{name}: {}", done.err);
        assert!(started.elapsed() < Duration::from_secs(60), "{name}: {:?}", started.elapsed());
    }
}

#[test]
fn a_limit_of_time_and_a_signal_hold_while_a_text_is_examined() {
    measured_seconds("documents.limit", || {
        let world = World::new();
        world.write("large.md", &slow_text());
        let started = Instant::now();
        let done = world.run(&["verify", "large.md", "--no-judge", "--max-time", "1s"]);
        let taken = started.elapsed();
        assert!(taken < Duration::from_secs(1) + OVERTIME_MAX, "{taken:?}: {}", done.err);

        let child = world.start(&["verify", "large.md", "--no-judge"]);
        wait_until("the examination", || is_examined(&world));
        let told = Instant::now();
        assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
        finish(child);
        assert!(told.elapsed() < OVERTIME_MAX, "{:?} after the signal", told.elapsed());
    });
}

/// A server that begins a page with `start`, and does the rest with the connection as `then` says.
fn page_server(start: &'static str, then: fn(std::net::TcpStream)) -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut stream = stream;
                let mut line = [0; 1024];
                let _ = stream.read(&mut line);
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n";
                let _ = stream.write_all(format!("{head}{start}").as_bytes());
                then(stream);
            });
        }
    });
    address
}

/// A page that sends a little every second, and never its end.
fn dripping_page() -> std::net::SocketAddr {
    page_server("<p>It", |mut stream| {
        while stream.write_all(b" drips.</p><p>It").is_ok() {
            std::thread::sleep(Duration::from_secs(1));
        }
    })
}

#[test]
fn a_page_that_drips_holds_no_check_beyond_its_time_and_is_not_called_unreachable() {
    measured_seconds("documents.drip", || {
        let world = World::new();
        let address = dripping_page();
        let claims = (0..12).map(|n| format!("The tower has {n}00 steps [a](http://drip.example/{n}).\n\n"));
        world.write("drip.md", &claims.collect::<String>());
        let started = Instant::now();
        let reach = format!("drip.example:80={address}");
        let variables = [("PROBITY_WEB__REACH", reach.as_str()), ("PROBITY_WEB__ARCHIVE", "false")];
        let mut command = world.command(&["verify", "drip.md", "--no-judge", "--max-time", "4s"]);
        let done = finish(command.envs(variables).spawn().unwrap());
        let taken = started.elapsed();
        assert!(taken < Duration::from_secs(4) + OVERTIME_MAX, "{taken:?}: {}", done.err);
        assert_eq!(done.code, 5, "{}{}", done.out, done.err);
        assert!(done.out.contains("not checked: deadline"), "{}", done.out);
        assert!(!done.out.contains("unreachable"), "{}", done.out);
        assert!(done.err.contains("the deadline was reached before everything was checked"), "{}", done.err);
    });
}

#[test]
fn a_text_behind_a_slow_page_and_a_judge_that_drips_hold_no_check_beyond_its_time() {
    measured_seconds("documents.slow", || {
        let world = World::new();
        let slow = dripping_page();
        let quick = page_server("<p>The tower of Norwick has 300 steps of stone.</p>", drop);
        let reach = format!("drip.example:80={slow},quick.example:80={quick}");
        let judge = format!("http://{slow}/v1");
        world.write("steps.md", "The tower of Norwick has 300 steps [a](http://quick.example/a).\n");
        for (what, said) in
            [("http://drip.example/report", "was not read within 3 s"), ("steps.md", "the rest not judged")]
        {
            let started = Instant::now();
            let mut command = world.command(&["verify", what, "--max-time", "3s", "--yes"]);
            command.env("PROBITY_WEB__REACH", &reach).env("PROBITY_WEB__ARCHIVE", "false");
            command.env("PROBITY_CHAT__BASE_URL", &judge).env("PROBITY_CHAT__MODEL", "slow");
            let done = finish(command.spawn().unwrap());
            let taken = started.elapsed();
            assert!(taken < Duration::from_secs(3) + OVERTIME_MAX, "{what}: {taken:?}: {}", done.err);
            let told = format!("{}{}", done.out, done.err);
            assert!(told.contains(said), "{what}: {taken:?}: {told}");
        }
    });
}

/// Claims about one thing that all agree: each is compared with many others, which takes seconds.
fn slow_text() -> String {
    let filler = "with a deck of steel and pylons of stone above the water of the old harbour ".repeat(10);
    let claim = |n: usize| {
        format!(
            "Witness w{n}x says that the bridge of Norwick is 412 metres long {filler}[a](http://127.0.0.1/a).\n\n"
        )
    };
    (0..2_000).map(claim).collect()
}

fn is_examined(world: &World) -> bool {
    let listed = world.run(&["runs", "list", "--json"]);
    listed.out.contains("examining every claim") || listed.out.contains("\"completed\"")
}

#[test]
fn a_check_that_was_killed_twice_is_set_aside_and_slows_nothing_down() {
    measured_seconds("documents.after_kill", || {
        let world = World::new();
        world.write("small.md", "The sky is blue. [a](http://127.0.0.1/a)\n");
        let quick = || {
            let times = (0..8).map(|_| {
                let started = Instant::now();
                assert_eq!(world.run(&["verify", "small.md", "--no-judge", "--fail-on", "none"]).code, 0);
                started.elapsed()
            });
            times.min().unwrap()
        };
        let before = quick();
        world.write("large.md", &slow_text());
        let mut first =
            world.command(&["verify", "large.md", "--no-judge"]).stderr(Stdio::null()).spawn().unwrap();
        wait_until("the first examination", || is_begun(&world));
        first.kill().unwrap();
        first.wait().unwrap();
        let unchanged = last_change(&world);
        let mut second = world.command(&["mcp"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        wait_until("the second examination", || last_change(&world) != unchanged);
        second.kill().unwrap();
        second.wait().unwrap();
        // Whoever comes next finds it, and ends it.
        wait_until("the end", || {
            quick();
            let listed = world.json(&["runs", "list", "--status", "failed", "--json"]);
            !listed["researches"].as_array().unwrap().is_empty()
        });
        let listed = world.json(&["runs", "list", "--status", "failed", "--json"]);
        let id = listed["researches"][0]["task_id"].as_str().unwrap().to_owned();
        let shown = world.run(&["runs", "show", &id]);
        let said = format!("{}{}", shown.out, shown.err);
        assert!(said.contains("begun 2 times"), "{said}");
        let after = quick();
        let ratio = after.as_secs_f64() / before.as_secs_f64();
        eprintln!("figure: documents.after_kill {ratio:.1} times");
        assert!(ratio <= AFTER_KILL_MAX, "{before:?}, then {after:?}");
    });
}

/// Whether the journal says that an examination was begun.
fn is_begun(world: &World) -> bool {
    let log = fs::read(world.data().join("probity.db-wal")).unwrap_or_default();
    let wanted = br#""tasks":[{"check":"examine"}]"#;
    log.windows(wanted.len()).any(|window| window == wanted)
}

/// When the run of the large text was last written to.
fn last_change(world: &World) -> String {
    let listed = world.json(&["runs", "list", "--text", "large", "--json"]);
    // Not the whole row: its progress follows the clock.
    listed["researches"][0]["updated_at"].to_string()
}
