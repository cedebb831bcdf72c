//! Firecrawl as a search provider, as a page service, and inside the real Gemini CLI as one of the user's MCP servers.

use std::collections::BTreeSet;

use probity_simulator::{SmallWeb, SmallWebPage, web::Provider};
use serde_json::{Value, json};

use crate::{
    client::Client,
    harness::{CommandOutput, World, document, finish, gemini_cli},
    rounds_cli,
    web::stage::{Hands, QUESTION, Stage},
};

/// Long enough not to be taken for a page that scripts fill.
const MORE: &str = "The council looks after the bridge together with the port, which paints its railings every spring \
    and inspects the bearings below the deck every second autumn. A brass band played until the evening, and the ferry \
    that had crossed the basin for ninety years made its last journey under the new arches. The plates were rolled in \
    the valley, shipped down the river in barges, and riveted on the quay by crews that worked in three shifts.";
const ROBOTS: &str = "User-agent: *\nDisallow: /\n";
const SERVICE_WORDS: &str = "as a page service returned it, not fetched by us";

fn page(url: &str, title: &str, first: &str) -> SmallWebPage {
    SmallWebPage::new(url, title, &format!("{first}\n\n{MORE}"))
}

/// One page for everybody, one that scripts fill, one whose server fails, and two whose owners refuse programs.
fn bridges() -> SmallWeb {
    let open = "The harbour bridge of Norwick is 412 metres long and carries two lanes of traffic.";
    let scripts = "The harbour bridge of Norwick did open on 3 May 1987 before eleven thousand people.";
    let failing = "Engineers count 6200 tonnes of steel in the long harbour bridge of Norwick.";
    let refused = "How long the harbour bridge of Norwick took to open is told to subscribers.";
    let shell = "<!doctype html><html><body><div id=\"app\"></div><script>load()</script></body></html>";
    SmallWeb::new()
        .with(page("http://council.example/bridge", "Harbour bridge of Norwick", open))
        .with(SmallWebPage {
            body: Some(shell.to_owned()),
            ..page("http://scripts.example/opening", "The day the Norwick bridge did open", scripts)
        })
        .with(page("http://failing.example/steel", "Steel of the Norwick bridge", failing).with_status(503))
        .with(page("http://paid.example/norwick", "The long bridge of Norwick", refused).with_status(403))
        .with(page("http://private.example/norwick", "Norwick harbour bridge, long and open", refused))
        .with_robots("private.example", ROBOTS)
}

/// The variables of somebody who has Firecrawl, at the simulator, and checks switched on as shipped.
fn variables(stage: &Stage, key: Option<&str>) -> Vec<(&'static str, String)> {
    let base = format!("{}/search-api/firecrawl", stage.world.base_url());
    let mut variables = stage.variables();
    variables.push(("FIRECRAWL_API_URL", base));
    variables.extend(key.map(|key| ("FIRECRAWL_API_KEY", key.to_owned())));
    variables
}

fn run(stage: &Stage, key: Option<&str>, arguments: &[&str]) -> CommandOutput {
    let mut command = stage.world.command(arguments);
    finish(command.envs(variables(stage, key)).spawn().unwrap())
}

/// What Firecrawl was asked for: queries, and addresses of pages.
fn asked(stage: &Stage) -> (Vec<String>, BTreeSet<String>) {
    let web = stage.web();
    let asked = web.searches_of(Provider::Firecrawl).map(|search| search.query.clone());
    let (pages, queries): (Vec<String>, Vec<String>) = asked.partition(|text| text.starts_with("http"));
    (queries, pages.into_iter().collect())
}

#[test]
fn with_a_key_firecrawl_searches_and_its_credits_are_not_called_dollars() {
    let stage = Stage::with(Hands::Nothing, bridges());
    let told = document(&run(&stage, Some("fc-simulated"), &["ask", "--json", QUESTION]));
    assert_eq!(told["status"], "completed", "{told}");
    assert!(told["report"].as_str().unwrap().contains("412 metres long"), "{told}");
    let (queries, pages) = asked(&stage);
    assert!(!queries.is_empty());
    assert_eq!(stage.web().searches_of(Provider::TavilyKeyless).count(), 0, "asked who was not chosen");
    // Every host of this small web is opened with `web.reach`: such hosts are named to nobody else.
    assert_eq!(pages, BTreeSet::new());
    assert_eq!((&told["cost_usd"], &told["cost_basis"]), (&Value::Null, &json!("unknown")), "{told}");
    assert!(stage.web().requests().iter().all(|request| !request.target.contains("fc-simulated")));
    let doctor = run(&stage, Some("fc-simulated"), &["doctor"]);
    assert!(doctor.out.contains("firecrawl") && !doctor.out.contains("fc-simulated"), "{}", doctor.out);
}

#[test]
fn a_server_of_ones_own_returns_pages_that_cannot_be_read_directly_and_they_are_marked() {
    let stage = Stage::with(Hands::Nothing, bridges());
    let question = "How long is the harbour bridge of Norwick, how much steel, when did it open?";
    let told = document(&run(&stage, None, &["research", "--web", "--json", question]));
    assert_eq!(told["status"], "completed", "{told}");
    let report = told["report"].as_str().unwrap();
    for words in ["412 metres long", "3 May 1987", "6200 tonnes"] {
        assert!(report.contains(words), "{words}: {report}");
    }
    let (_, pages) = asked(&stage);
    let wanted = ["http://failing.example/steel", "http://scripts.example/opening"];
    assert_eq!(pages, wanted.map(str::to_owned).into(), "what its owner refuses is not asked for elsewhere");
    assert_eq!(told["cost_basis"], "nothing was billed", "{told}");
    let written = document(&run(&stage, None, &["report", "--format", "json", "--output", "-"]));
    let marked: BTreeSet<String> = written["sources"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|source| source["provenance"] == SERVICE_WORDS)
        .map(|source| source["url"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(marked, pages, "{written}");
    let contacts = document(&run(&stage, None, &["privacy", "--json"]));
    let services = contacts["contacts"].as_array().unwrap().iter();
    let services: Vec<&Value> = services.filter(|contact| contact["kind"] == "page service").collect();
    assert_eq!((services.len(), &services[0]["name"]), (1, &json!("firecrawl")), "{contacts}");
}

#[test]
fn the_page_service_is_not_asked_where_it_is_switched_off() {
    let stage = Stage::with(Hands::Nothing, bridges());
    let mut command = stage.world.command(&["research", "--web", QUESTION]);
    command.envs(variables(&stage, None)).env("PROBITY_WEB__PAGE_SERVICE", "false");
    let done = finish(command.spawn().unwrap());
    assert_eq!(done.code, 0, "{}", done.err);
    let (queries, pages) = asked(&stage);
    assert!(!queries.is_empty() && pages.is_empty(), "{pages:?}");
}

/// An MCP server in a few lines, with the tools of Firecrawl's.
const SERVER: &str = r#"
const tool = (name, field) => ({ name, description: name, inputSchema: {
  type: 'object', properties: { [field]: { type: 'string' } }, required: [field] } });
const answers = {
  initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} },
    serverInfo: { name: 'firecrawl', version: '1' } }),
  'tools/list': () => ({ tools: [tool('firecrawl_scrape', 'url'), tool('firecrawl_search', 'query')] }),
  'tools/call': () => ({ content: [{ type: 'text', text: '# The page\n\nIt ran in 1987.' }] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line);
  if (request.id === undefined) return;
  const answer = answers[request.method];
  const result = answer ? { result: answer(request.params ?? {}) }
    : { error: { code: -32601, message: 'no such method' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...result }) + '\n');
});
"#;

fn with_server(world: &World) {
    world.write("tools/firecrawl.cjs", SERVER);
    let script = world.home.path().join("tools/firecrawl.cjs");
    let servers = json!({
        "firecrawl": { "command": "node", "args": [script], "env": { "FIRECRAWL_API_KEY": "fc-of-the-cli" } },
        "other": { "command": "/bin/false" },
    });
    world.write(".gemini/settings.json", &format!("// mine\n{}", json!({ "mcpServers": servers })));
}

/// A `search` on the real CLI; what it answers, and what of it the client shows.
fn search(world: &World, program: &std::path::Path, reuse: &str, servers: &str) -> Value {
    let variables = [
        ("PROBITY_GEMINI_CLI__REUSE", reuse),
        ("PROBITY_GEMINI_CLI__MCP_SERVERS", servers),
        ("PROBITY_MCP__CALL_WAIT", "170s"),
    ];
    let mut client: Client = rounds_cli::open(world, program, &variables);
    let question = "When did the first one run? [[rounds key=k turns=draft pages=numeric]]";
    let answer = client.call("search", json!({ "query": question }))["structuredContent"].clone();
    client.leave();
    answer
}

#[test]
fn the_real_gemini_cli_reads_pages_with_firecrawl_where_the_user_allows_it() {
    let Some(program) = gemini_cli() else { return };
    for reuse in ["pool", "spawn"] {
        let world = World::new();
        with_server(&world);
        let answer = search(&world, &program, reuse, "firecrawl");
        assert_eq!(answer["status"], "completed", "{reuse}: {answer}");
        let raw = world.run(&["runs", "show", "--raw"]).out;
        assert!(raw.contains("firecrawl_scrape"), "{reuse}: {raw}");
        let visited = answer["metadata"]["sources_visited"].as_array().unwrap();
        assert!(visited.contains(&json!("http://[3fff::1]/k/1")), "{reuse}: {answer}");
    }
}

#[test]
fn without_the_setting_no_mcp_server_of_the_user_is_started() {
    let Some(program) = gemini_cli() else { return };
    let world = World::new();
    with_server(&world);
    let answer = search(&world, &program, "spawn", "");
    assert_eq!(answer["status"], "completed", "{answer}");
    assert!(!world.run(&["runs", "show", "--raw"]).out.contains("firecrawl"));
}

#[test]
fn a_server_that_the_gemini_cli_does_not_have_is_said_with_what_to_type() {
    let world = World::new();
    with_server(&world);
    let program = crate::scripted_cli::install(world.home.path());
    let answer = search(&world, &program, "spawn", "absent");
    assert_eq!(answer["error"]["code"], "CLI_CONFIGURATION", "{answer}");
    assert!(answer.to_string().contains("gemini mcp add"), "{answer}");
    let doctor =
        world.command(&["doctor"]).env("PROBITY_GEMINI_CLI__MCP_SERVERS", "absent").output().unwrap();
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("gemini mcp add"), "{doctor:?}");
}
