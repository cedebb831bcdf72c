//! Saved reports as the seeds want them: where the client works, whole or without sources, and told as they came about.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::World,
    serve::TestServer,
};

fn folder(world: &World, name: &str) -> PathBuf {
    let folder = world.home.path().join(name);
    fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display()).replace(' ', "%20")
}

/// A research that is over, asked by this client.
fn finished(client: &mut Client) -> Value {
    client.done("start_deep_research", json!({ "query": "why is the sky blue?" }))["task_id"].clone()
}

fn saved(client: &mut Client, arguments: Value) -> PathBuf {
    PathBuf::from(client.done("save_research_to_markdown", arguments)["file_path"].as_str().unwrap())
}

#[test]
fn reports_land_in_the_clients_root_else_where_it_was_started_else_in_our_folder() {
    let world = World::new();
    let (project, started_in) = (folder(&world, "my project"), folder(&world, "started"));
    let remote = "https://example.com/project";
    let gone = uri(&world.home.path().join("gone"));
    for (name, directory, roots, expected) in [
        ("the first root that is there", &started_in, vec![remote, &gone, &uri(&project)], &project),
        ("no root on this machine", &started_in, vec![remote], &started_in),
        ("a client without roots", &started_in, Vec::new(), &started_in),
        ("the whole disk is no root", &started_in, vec!["file:///"], &started_in),
        ("started in the root of the disk", &PathBuf::from("/"), Vec::new(), &world.data().join("reports")),
    ] {
        let mut client = Client::in_directory(&world, Era::Old, directory, &roots);
        let id = finished(&mut client);
        let file = saved(&mut client, json!({ "task_id": id }));
        assert!(
            file.is_absolute() && file.starts_with(expected.join("research_reports")),
            "{name}: {file:?}"
        );
        assert!(fs::read_to_string(&file).unwrap().contains(id.as_str().unwrap()), "{name}");
        client.leave();
    }
}

#[test]
fn a_client_of_the_new_era_is_asked_for_its_roots_in_the_answer() {
    let world = World::new();
    let (project, started_in) = (folder(&world, "project"), folder(&world, "started"));
    let mut client = Client::in_directory(&world, Era::New, &started_in, &[&uri(&project)]);
    let id = finished(&mut client);
    let asked = client.call("save_research_to_markdown", json!({ "task_id": id }));
    assert_eq!(asked["inputRequests"]["roots"]["method"], "roots/list", "{asked}");
    let answer = json!({ "roots": client.listed_roots() });
    let again = json!({
        "name": "save_research_to_markdown", "arguments": { "task_id": id }, "inputResponses": answer,
        "requestState": asked["requestState"],
    });
    let result = client.ask("tools/call", again)["result"].clone();
    let file = PathBuf::from(result["structuredContent"]["file_path"].as_str().unwrap());
    assert!(file.starts_with(project.join("research_reports")), "{file:?}");
    client.leave();
}

#[test]
fn an_attached_client_saves_where_it_works_and_not_where_the_server_does() {
    let world = World::new();
    let project = folder(&world, "project");
    let server = TestServer::start(&world);
    let mut client = Client::in_directory(&world, Era::Old, &project, &[]);
    let id = finished(&mut client);
    let file = saved(&mut client, json!({ "task_id": id }));
    assert!(file.starts_with(project.join("research_reports")), "{file:?}");
    client.leave();
    drop(server);
}

#[test]
fn nothing_leaves_the_clients_directories() {
    let world = World::new();
    let (project, outside) = (folder(&world, "project"), folder(&world, "outside"));
    symlink(&outside, project.join("research_reports")).unwrap();
    let root = uri(&project);
    let mut client = Client::in_directory(&world, Era::Old, &project, &[&root]);
    let id = finished(&mut client);
    for output_dir in ["./research_reports", "../outside", outside.to_str().unwrap(), "/etc"] {
        let arguments = json!({ "task_id": id, "output_dir": output_dir });
        assert_eq!(client.refused("save_research_to_markdown", arguments), "OUTPUT_PATH", "{output_dir}");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    let inside = project.join("docs/found");
    let file = saved(&mut client, json!({ "task_id": id, "output_dir": inside }));
    assert!(file.starts_with(&inside), "{file:?}");
    client.leave();
}

#[test]
fn a_directory_that_the_user_named_goes_before_the_clients() {
    let world = World::new();
    let (project, reports) = (folder(&world, "project"), folder(&world, "my reports"));
    world.write("config/probity/config.toml", &format!("[reports]\ndirectory = {reports:?}\n"));
    let mut client = Client::in_directory(&world, Era::Old, &project, &[&uri(&project)]);
    let id = finished(&mut client);
    let file = saved(&mut client, json!({ "task_id": id }));
    assert!(file.starts_with(reports.join("research_reports")), "{file:?}");
    client.leave();
}

#[test]
fn without_sources_no_list_of_them_is_left() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    let id = finished(&mut client);
    let with = fs::read_to_string(saved(&mut client, json!({ "task_id": id }))).unwrap();
    assert!(
        !with.contains("**Sources:**") && with.contains("## Sources"),
        "one list, and it is ours: {with}"
    );
    let arguments = json!({ "task_id": id, "include_sources": false });
    let without = fs::read_to_string(saved(&mut client, arguments.clone())).unwrap();
    let answer = client.call("get_research_results", arguments);
    let text = answer["content"][0]["text"].as_str().unwrap();
    let report = answer["structuredContent"]["report"].as_str().unwrap();
    for shown in [without.as_str(), text, report] {
        assert!(!shown.contains("Sources:") && !shown.contains("## Sources"), "{shown}");
        assert!(!shown.contains("source-0.example.com]("), "{shown}");
        assert!(shown.contains("[cite: 1]"), "the sentences stay: {shown}");
    }
    assert_eq!(answer["structuredContent"]["sources"], Value::Null);
    client.leave();
}

#[test]
fn the_mode_is_how_the_answer_came_and_not_how_long_it_took() {
    let world = World::new();
    let results = |client: &mut Client, id: &Value| {
        client.done("get_research_results", json!({ "task_id": id, "wait_seconds": 50 }))["metadata"]["mode"]
            .clone()
    };
    // Three seconds of the world's time: over within the call, or handed over before the first of them has passed.
    let mut patient = Client::open(&world, Era::Old, &[]);
    let question = |text: &str| json!({ "query": format!("{text} [[completed duration_ms=30000]]") });
    let answered = patient.done("start_deep_research", question("why is the sky blue?"));
    assert_eq!((&answered["mode"], &answered["status"]), (&json!("sync"), &json!("completed")));
    assert_eq!(results(&mut patient, &answered["task_id"]), "sync");
    patient.leave();
    let mut hurried = Client::open(&world, Era::Old, &[("PROBITY_MCP__START_WAIT", "1s")]);
    let handle = hurried.done("start_deep_research", question("why is the sea blue?"));
    assert_eq!((&handle["mode"], &handle["status"]), (&json!("async"), &json!("running_async")));
    assert_eq!(results(&mut hurried, &handle["task_id"]), "async");
    hurried.leave();
    let mut with_tasks = Client::open(&world, Era::NewWithTasks, &[]);
    let task = with_tasks.call("start_deep_research", question("why is the fog white?"));
    let id = task["taskId"].clone();
    assert_eq!(results(&mut with_tasks, &id), "async");
    with_tasks.leave();
    let detached = world.json(&["research", "why is snow white?", "--detach", "--json"]);
    let mut reader = Client::open(&world, Era::Old, &[]);
    assert_eq!(results(&mut reader, &detached["task_id"]), "async");
    reader.leave();
}
