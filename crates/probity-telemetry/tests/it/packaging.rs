//! The files an operator starts from: what they name exists, and the programs they are for accept them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use probity_telemetry::metric_names::{ALL, MetricKind};
use serde_json::Value;
use yaml_rust2::{Yaml, YamlLoader};

use crate::tools;

/// The schemas that the manifests are judged by.
const KUBERNETES: &str = "1.32";

fn fleet(name: &str) -> PathBuf {
    tools::root().join("packaging/fleet").join(name)
}

fn manifests() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(fleet("kubernetes"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .filter(|path| path.file_name().is_some_and(|name| name != "kustomization.yaml"))
        .collect();
    found.sort();
    found
}

/// Words in `text` that look like a metric of ours.
fn metrics_in(text: &str) -> BTreeSet<String> {
    text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .filter(|word| word.starts_with("probity_"))
        .map(str::to_owned)
        .collect()
}

/// Every series that Prometheus has of us.
fn series() -> BTreeSet<String> {
    let of = |metric: &probity_telemetry::metric_names::Metric| match metric.kind {
        MetricKind::Histogram(_) => {
            ["_bucket", "_sum", "_count"].map(|end| format!("{}{end}", metric.name)).to_vec()
        }
        MetricKind::Counter | MetricKind::Gauge => vec![metric.name.to_owned()],
    };
    ALL.iter().flat_map(of).collect()
}

fn expressions(panel: &Value, found: &mut Vec<String>) {
    match panel {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| match (name.as_str(), value) {
            ("expr", Value::String(text)) => found.push(text.clone()),
            _ => expressions(value, found),
        }),
        Value::Array(items) => items.iter().for_each(|item| expressions(item, found)),
        _ => {}
    }
}

#[test]
fn the_dashboard_asks_for_metrics_that_exist() {
    let text = fs::read_to_string(fleet("grafana.json")).unwrap();
    let mut asked = Vec::new();
    expressions(&serde_json::from_str(&text).unwrap(), &mut asked);
    assert!(asked.len() > 15, "only {} queries were found", asked.len());
    let (named, series) = (metrics_in(&text), series());
    assert!(named.is_subset(&series), "asks for what does not exist: {:?}", named.difference(&series));
    for query in &asked {
        assert!(!metrics_in(query).is_empty(), "asks for nothing of ours: {query}");
    }
    let Some(promtool) = tools::promtool() else { return };
    // As rules, so that the parser of Prometheus reads every query.
    let mut rules = String::from("groups:\n  - name: dashboard\n    rules:\n");
    for (number, query) in asked.iter().enumerate() {
        let query = query.replace("$__rate_interval", "5m").replace("$tenant", ".*");
        rules.push_str(&format!("      - {{ record: \"query:{number}\", expr: {} }}\n", Value::from(query)));
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rules.yml");
    fs::write(&path, rules).unwrap();
    tools::run(&promtool, &[Path::new("check"), Path::new("rules"), &path], "");
}

#[test]
fn alerts_name_metrics_and_pages_that_exist_and_fire_when_they_should() {
    let text = fs::read_to_string(fleet("alerts.yml")).unwrap();
    let named = metrics_in(&text);
    assert!(named.len() > 8 && named.is_subset(&series()), "{:?}", named.difference(&series()));
    for line in text.lines().filter_map(|line| line.trim().strip_prefix("runbook: ")) {
        assert!(tools::root().join(line).exists(), "there is no page {line}");
    }
    let Some(promtool) = tools::promtool() else { return };
    tools::run(&promtool, &[Path::new("check"), Path::new("rules"), &fleet("alerts.yml")], "");
    tools::run(&promtool, &[Path::new("check"), Path::new("config"), &fleet("prometheus.yml")], "");
    tools::run(&promtool, &[Path::new("test"), Path::new("rules"), &fleet("alerts.test.yml")], "");
}

#[test]
fn kubernetes_accepts_the_manifests() {
    let manifests = manifests();
    assert!(manifests.len() > 5, "{manifests:?}");
    let listed = fs::read_to_string(fleet("kubernetes/kustomization.yaml")).unwrap();
    for path in &manifests {
        let text = fs::read_to_string(path).unwrap();
        assert!(metrics_in(&text).is_subset(&series()), "{}: {:?}", path.display(), metrics_in(&text));
        let name = path.file_name().unwrap().to_string_lossy();
        // What creates a cluster must never be applied again with the rest.
        let once = name == "provision-once.yaml";
        assert_eq!(listed.contains(&format!("- {name}")), !once, "{name} in kustomization.yaml");
    }
    let Some(python) = tools::python() else { return };
    let script = tools::check("manifests.py");
    let mut arguments = vec![script.as_path(), Path::new(KUBERNETES)];
    arguments.extend(manifests.iter().map(PathBuf::as_path));
    let judged: usize = tools::run(&python, &arguments, "").trim().parse().unwrap();
    assert!(judged > 15, "only {judged} objects");
}

/// The engine's settings stand in one file; the copy in the manifests must not drift away from it.
#[test]
fn kubernetes_carries_the_engines_settings_as_they_are() {
    let text = fs::read_to_string(fleet("kubernetes/restate.yaml")).unwrap();
    let settings = fs::read_to_string(fleet("restate/cluster.toml")).unwrap();
    let documents = YamlLoader::load_from_str(&text).unwrap();
    let carried = documents.iter().find_map(|document| document["data"]["cluster.toml"].as_str());
    assert_eq!(carried, Some(settings.as_str()));
}

#[test]
fn compose_names_only_what_it_defines() {
    let text = fs::read_to_string(fleet("compose.yaml")).unwrap();
    let documents = YamlLoader::load_from_str(&text).unwrap();
    let compose = &documents[0];
    let keys = |yaml: &Yaml| -> BTreeSet<String> {
        let hash =
            yaml.as_hash().map(|hash| hash.keys().filter_map(Yaml::as_str).map(str::to_owned).collect());
        hash.unwrap_or_default()
    };
    let (services, volumes) = (keys(&compose["services"]), keys(&compose["volumes"]));
    for needed in [
        "postgres",
        "objects",
        "restate-1",
        "restate-2",
        "restate-3",
        "migrate",
        "worker-1",
        "worker-2",
        "serve-1",
        "serve-2",
        "prometheus",
        "grafana",
        "collector",
    ] {
        assert!(services.contains(needed), "there is no service {needed}");
    }
    for name in &services {
        let service = &compose["services"][name.as_str()];
        for other in keys(&service["depends_on"]) {
            assert!(services.contains(&other), "{name} waits for {other}, which does not exist");
        }
        for mount in service["volumes"].as_vec().into_iter().flatten().filter_map(Yaml::as_str) {
            let from = mount.split(':').next().unwrap_or_default();
            let there = if from.starts_with("./") { fleet(from).exists() } else { volumes.contains(from) };
            assert!(there, "{name} mounts {from}, which does not exist");
        }
        assert!(!service["image"].as_str().unwrap_or_default().ends_with(":latest"), "{name} has no version");
    }
    let scraped = fs::read_to_string(fleet("prometheus.yml")).unwrap();
    let scraped = YamlLoader::load_from_str(&scraped).unwrap();
    for job in scraped[0]["scrape_configs"].as_vec().unwrap() {
        for target in job["static_configs"][0]["targets"].as_vec().unwrap() {
            let host = target.as_str().unwrap().split(':').next().unwrap();
            assert!(services.contains(host), "Prometheus asks {host}, which does not exist");
        }
    }
}
