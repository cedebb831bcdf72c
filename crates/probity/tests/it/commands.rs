//! `runs list`, `runs show`, `config`, `doctor` and the help, from the disk alone.

use std::fs;

use expect_test::expect;

use crate::harness::{World, finish, id_in};

#[test]
fn a_research_is_found_by_any_spelling_of_its_id() {
    let world = World::new();
    let id = id_in(&world.run(&["research", "why"]).err);
    let bare = id.trim_start_matches("res_").to_owned();
    let hyphenated =
        format!("{}-{}-{}-{}-{}", &bare[..8], &bare[8..12], &bare[12..16], &bare[16..20], &bare[20..]);
    for spelling in [id.as_str(), &bare, &hyphenated, "last", &bare[..8], &id[..10]] {
        let found = world.json(&["runs", "show", "--json", spelling]);
        assert_eq!(found["task_id"], id.as_str(), "{spelling}");
    }
    let missing = world.run(&["runs", "show", "res_00000000000000000000000000000000"]);
    assert_eq!(missing.code, 1);
    assert!(missing.err.contains("error[NOT_FOUND]: there is no research res_0"), "{}", missing.err);
}

#[test]
fn nothing_there_yet_is_said_and_nothing_is_created() {
    let world = World::new();
    assert_eq!(world.run(&["runs", "list"]).out, "");
    let shown = world.run(&["runs", "show"]);
    assert_eq!(shown.code, 1);
    assert!(shown.err.contains("error[NOT_FOUND]: there is no research yet"), "{}", shown.err);
    assert!(!world.data().exists());
}

#[test]
fn the_list_can_be_narrowed() {
    let world = World::new();
    world.run(&["research", "about towers"]);
    world.run(&["research", "[[failed]] about bridges"]);
    let count = |arguments: &[&str]| {
        let all: Vec<&str> = ["runs", "list", "--json"].iter().chain(arguments).copied().collect();
        world.json(&all)["researches"].as_array().unwrap().len()
    };
    assert_eq!(
        [count(&[]), count(&["--limit", "1"]), count(&["--status", "failed"]), count(&["--text", "TOWERS"])],
        [2, 1, 1, 1]
    );
    let wrong = world.run(&["runs", "list", "--status", "done"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("`done` is not a status; there are: pending, running_async"), "{}", wrong.err);
}

#[test]
fn settings_tell_their_origin() {
    let world = World::new();
    world.write("config/probity/config.toml", "[budget]\nmax_usd = 4\n\n[research]\ndeadline = \"30m\"\n");
    world.write("probity.toml", "[budget]\nmax_usd = 3\n\n[research]\ndeadline = \"50m\"\n");
    let child = world
        .command(&["config", "show", "--origin"])
        .env("PROBITY_LIMITS__STREAMS_OPEN", "2")
        .spawn()
        .unwrap();
    let done = finish(child);
    let shown = world.redacted(&format!("{}{}", done.out, done.err));
    // Columns are as wide as this machine's paths.
    let words: Vec<String> =
        shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    expect![[r#"
        gemini.base_url BASE_URL GOOGLE_GEMINI_BASE_URL
        gemini.api_version v1 default
        gemini.agents (none) default
        research.agent deep-research-preview-04-2026 default
        research.engine auto default
        research.deadline 30m HOME/config/probity/config.toml:5
        rounds.max_iterations 5 default
        rounds.model (none) default
        rounds.correction_model (none) default
        rounds.verification evidence default
        rounds.round_deadline 5m default
        gemini_cli.program (none) default
        gemini_cli.reuse pool default
        gemini_cli.mcp_servers (none) default
        search.providers (none) default
        search.searxng_url (none) default
        search.firecrawl_url (none) default
        search.bases (none) default
        chat.kind auto default
        chat.base_url (none) default
        chat.model (none) default
        chat.planner_model (none) default
        chat.reader_model (none) default
        chat.writer_model (none) default
        chat.window_tokens 0 default
        chat.stands_for (none) default
        chat.endpoints (none) default
        web.reach *:80=SIMULATOR,[3fff::1]:80=SIMULATOR,SIMULATOR=SIMULATOR,*:443=127.0.0.1:1 PROBITY_WEB__REACH
        web.contact (none) default
        web.proxy (none) default
        web.archive true default
        web.page_service true default
        web.browser auto default
        web.browser_program (none) default
        checks.enabled true default
        checks.pages_max 1000 default
        checks.claims_max 10000 default
        checks.judge auto default
        checks.judge_model (none) default
        checks.second_judge (none) default
        checks.exam required default
        checks.judge_program (none) default
        checks.judge_weights (none) default
        checks.judge_hash (none) default
        budget.max_usd 3 HOME/probity.toml:2
        budget.guard_usd (none) default
        budget.per_day_usd (none) default
        mcp.ask_above_usd 5 default
        mcp.unasked_max_usd 3 default
        mcp.start_wait 25s default
        mcp.call_wait 45s default
        store.directory HOME/data/probity default
        reports.directory HOME/data/probity/reports default
        reports.roots (none) default
        reports.template (none) default
        limits.calls_in_flight 64 default
        limits.streams_open 2 PROBITY_LIMITS__STREAMS_OPEN
        limits.driven_max 20000 default
        notifications.enabled true default
        notifications.show_query false default
        serve.listen 127.0.0.1:8765 default
        serve.allow_beyond_loopback false default
        serve.allowed_hosts (none) default
        serve.allowed_origins (none) default
        serve.calls_per_second 200 default
        watch.by_server false default
        watch.webhook (none) default
        fleet.database (none) default
        fleet.connections 16 default
        fleet.objects (none) default
        fleet.engine http://127.0.0.1:8080 default
        fleet.engine_admin http://127.0.0.1:9070 default
        fleet.worker_listen 127.0.0.1:9080 default
        fleet.worker_address (none) default
        fleet.metrics_listen (none) default
        fleet.in_flight_max 10000 default
        fleet.tenant_in_flight_max 100 default
        fleet.tenant_waiting_max 10000 default
        fleet.tenant_requests_per_second 50 default
        fleet.tenant_per_day_usd (none) default
        fleet.provider_calls_max 256 default
        fleet.provider_calls_per_second 500 default
        fleet.resource (none) default
        fleet.oauth_issuer (none) default
        fleet.oauth_tenant_claim tenant default
        fleet.webhook_hosts (none) default
        note: HOME/probity.toml:5: `research.deadline = 50m` is looser than what is set already and was not taken"#]].assert_eq(&words.join("\n"));
}

#[test]
fn a_project_may_not_redirect_the_key() {
    let world = World::new();
    world.write("probity.toml", "[gemini]\nbase_url = \"https://evil.example\"\n");
    let done = world.run(&["research", "x"]);
    assert_eq!(done.code, 2);
    expect![[r#"
        error[SETTINGS]: HOME/probity.toml:2: a project may not set `gemini.base_url`
        hint: move the line to your own file; `probity config path` shows where it is
        more: probity explain SETTINGS
    "#]]
    .assert_eq(&world.redacted(&done.err));
    assert!(!world.data().exists());
}

#[test]
fn doctor_names_what_is_missing_and_how_to_mend_it() {
    let world = World::new();
    let healthy = world.run(&["doctor"]);
    assert_eq!(healthy.code, 0, "{}", healthy.out);
    let without_disk = |text: &str| {
        // The disk, the kernel and the fonts are this machine's own.
        let own =
            |line: &&str| [" free", "this kernel confines", " fonts "].iter().any(|part| line.contains(part));
        let kept: Vec<&str> = text.lines().filter(|line| !own(line)).collect();
        kept.join("\n")
    };
    expect![[r#"
        Environment
          ✓ system        /etc/probity/config.toml (not there, not needed)
          ✓ user          HOME/config/probity/config.toml (not there, not needed)
          ✓ budget        none set; `probity setup --spend-cap 5` sets one
          ✓ notifier      the desktop's D-Bus interface, tried on linux; no desktop here: the end of each run is told on stderr
          ✓ PDF           1 page of 15.5 KiB made just now, tagged, without a browser

        Models
          ✓ API key       present, from GEMINI_API_KEY
          ⚠ base URL      BASE_URL/v1 (not Google's)
                          → the key is sent there; unset GOOGLE_GEMINI_BASE_URL or `gemini.base_url` for Google's own address
          ✓ agent         deep-research-preview-04-2026 ($1 to $3, used by default)
          ✓ agent         deep-research-max-preview-04-2026 ($3 to $7)
          ✓ agent         deep-research-pro-preview-12-2025 ($1 to $3), superseded by deep-research-preview-04-2026
          ✓ engine        Gemini API, because a key is set
          ✓ model         gemini-3.8-flash (chosen by the engine)
          ✓ limit         5 rounds; verified by the model and by evidence
          ✓ prompts       ours; HOME/config/probity/prompts would replace them
          ✓ Gemini CLI    not found; not needed for gemini-api
          ✓ policy        it may use google_web_search, web_fetch, read_file and nothing else
          ✓ chat model    gemini-3.8-flash (elsewhere: your question and quotations go there)

        Search
          ⚠ search        tavily-keyless, wikipedia (no key: costs nothing, and is capped)
                          → for more: TAVILY_API_KEY=… in a file and `probity setup --key-file FILE`, or your own SEARXNG_URL
          ✓ parser        a process of its own: 10 s a page, no files, no network, few system calls
          ✓ Chromium      not found; pages that scripts build stay unread
          ⚠ reach         hosts are opened that are not public
                          → look at `web.reach` in `probity config show --origin`

        Storage
          ✓ directory     HOME/data/probity (will be created)
          ✓ database      not there yet; the first research creates it

        Evidence
          ✓ checks        every claim is compared with the stored page
          ✓ judge         gemini-3.8-flash
          ✓ judge's exam  not sat yet: the first check puts 40 questions to it

        MCP clients
          ✓ clients       none found; `probity mcp install --client NAME` adds Probity to one

        Network
          ✓ pages         read directly; public addresses, and the hosts that `web.reach` opens
          ✓ provider      not asked; `probity doctor --probe` does, for nothing

        Updates
          ✓ version       0.1.0; it never looks for a newer one by itself
          ✓ retirements   no end is near for deep-research-preview-04-2026, gemini-3.8-flash (table of 2026-11-14)

        ready, with 3 warnings"#]].assert_eq(&without_disk(&world.redacted(&healthy.out)));
    let child = world.command(&["doctor", "--json"]).env_remove("GEMINI_API_KEY").spawn().unwrap();
    let done = finish(child);
    // The web engine needs none.
    assert_eq!(done.code, 0);
    let found = crate::harness::document(&done);
    let checks = found["checks"].as_array().unwrap();
    let key = checks.iter().find(|check| check["name"] == "API key").unwrap();
    assert_eq!(key["result"], "warning");
    assert_eq!(key["fix"], "probity setup --gemini-key - < key.txt, or export GEMINI_API_KEY=…");
    assert!(!world.data().exists(), "looking creates nothing");
}

#[test]
fn a_pdf_needs_no_browser_and_no_other_program() {
    let world = World::new();
    assert_eq!(world.run(&["research", "why"]).code, 0);
    let mut command = world.command(&["report", "last", "--format", "pdf", "--output", "why.pdf"]);
    let done = finish(command.env("PATH", "").spawn().unwrap());
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("why.pdf ("), "{}", done.err);
    let file = fs::read(world.home.path().join("why.pdf")).unwrap();
    assert!(file.starts_with(b"%PDF-1.7"));
    for wanted in ["/StructTreeRoot", "/Outlines", "pdfuaid"] {
        assert!(file.windows(wanted.len()).any(|bytes| bytes == wanted.as_bytes()), "{wanted}");
    }
    let doctor = finish(world.command(&["doctor"]).env("PATH", "").spawn().unwrap());
    assert!(doctor.out.contains("✓ PDF           1 page of "), "{}", doctor.out);
}

#[test]
fn doctor_tells_of_researches_that_may_have_been_billed() {
    let world = World::new();
    world.run(&["research", "[[create-lost]] x"]);
    let done = world.run(&["doctor"]);
    assert!(done.out.contains("1 research may have been billed without an answer"), "{}", done.out);
    assert!(done.out.contains("→ probity runs list --status unknown"), "{}", done.out);
}

#[test]
fn a_wrong_command_is_a_usage_error() {
    let world = World::new();
    let done = world.run(&["reserach", "x"]);
    assert_eq!(done.code, 2);
    expect![[r#"
        error: unrecognized subcommand 'reserach'

          tip: a similar subcommand exists: 'research'

        Usage: probity [OPTIONS] <COMMAND>

        For more information, try '--help'.
    "#]]
    .assert_eq(&done.err);
    assert_eq!(world.run(&["--help"]).code, 0);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let world = World::new();
    world.run(&["research", "[[huge bytes=2000000]] x"]);
    let mut child = world.start(&["runs", "show", "last"]);
    drop(child.stdout.take());
    let done = finish(child);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(!done.err.contains("error"), "{}", done.err);
}
