//! The Restate server of the stand: one node, or three that keep every record twice.
//!
//! The npm package has no `restatectl`, and none is needed: the first node is allowed to provision
//! (`auto-provision`), the others are told where all metadata servers are and join by themselves
//! (`metadata-server.auto-join` is the default). A cluster of three stands after about three seconds.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::bail;

use super::{
    plain_http,
    process::{FleetProcess, FreePorts, ProcessNetwork, ProcessRecipe},
};
use crate::rig;

/// A node answers after one to three seconds on an idle machine.
const UP_MAX: Duration = Duration::from_secs(60);
/// Shards of the work. Each has its own log and its own place in memory: two cores are busy with a few.
const PARTITIONS: &str = "6";
/// All storage of one node in memory; the default of 2 GiB times three would not fit beside everything else.
const STORAGE_MEMORY: &str = "512.0 MiB";

/// Invocations with an open stream, per partition; one that only waits counts. With the default of 1000 the ones beyond
/// it would not even begin.
const OPEN_MAX: &str = "20000";

/// Where the server is after `.ci/install`.
pub fn server() -> anyhow::Result<PathBuf> {
    let path = rig::repository()
        .join(".tools/restate/node_modules/@restatedev/restate-server-linux-x64/bin/restate-server");
    if path.is_file() { Ok(path) } else { bail!("the Restate server is not installed; run `just tools`") }
}

pub struct EngineNode {
    pub part: FleetProcess,
    pub ingress: String,
    pub admin: String,
}

impl EngineNode {
    pub fn wait_until_up(&mut self) -> anyhow::Result<()> {
        let health = [format!("{}/health", self.admin), format!("{}/restate/health", self.ingress)];
        let up = || health.iter().all(|url| plain_http::get(url).is_ok_and(|(status, _)| status == 200));
        if plain_http::until(UP_MAX, up) {
            return Ok(());
        }
        bail!("{} did not come up: {}", self.part.name(), self.part.log_tail())
    }
}

/// Starts as many nodes as there are places and waits until all of them answer.
pub fn start(
    folder: &Path,
    places: &[ProcessNetwork],
    ports: &mut FreePorts,
) -> anyhow::Result<Vec<EngineNode>> {
    let server = server()?;
    let fabric: Vec<String> = places
        .iter()
        .map(|place| Ok(format!("http://{}:{}/", place.address(), ports.free()?)))
        .collect::<anyhow::Result<_>>()?;
    let all = serde_json::to_string(&fabric)?;
    let mut nodes = Vec::new();
    for (index, (place, own)) in places.iter().zip(&fabric).enumerate() {
        let name = format!("restate-{}", index + 1);
        let base = folder.join(&name);
        std::fs::create_dir_all(&base)?;
        let listen = |port: u16| format!("{}:{port}", place.address());
        let (ingress, admin) = (listen(ports.free()?), listen(ports.free()?));
        let fabric_listens = own.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let text = |name: &str, value: &str| (format!("RESTATE_{name}"), value.to_owned());
        let environment = vec![
            text("NODE_NAME", &name),
            text("CLUSTER_NAME", "stand"),
            text("BASE_DIR", &base.display().to_string()),
            text("LISTEN_MODE", "tcp"),
            text("BIND_ADDRESS", &fabric_listens),
            text("ADVERTISED_ADDRESS", own),
            text("INGRESS__BIND_ADDRESS", &ingress),
            text("INGRESS__ADVERTISED_ADDRESS", &format!("http://{ingress}/")),
            text("ADMIN__BIND_ADDRESS", &admin),
            text("ADMIN__ADVERTISED_ADDRESS", &format!("http://{admin}/")),
            text("ADMIN__DISABLE_WEB_UI", "true"),
            text("METADATA_CLIENT__ADDRESSES", &all),
            text("AUTO_PROVISION", if index == 0 { "true" } else { "false" }),
            text("DEFAULT_REPLICATION", if places.len() >= 3 { "2" } else { "1" }),
            text("DEFAULT_NUM_PARTITIONS", PARTITIONS),
            text("ROCKSDB_TOTAL_MEMORY_SIZE", STORAGE_MEMORY),
            text("WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT", OPEN_MAX),
            text("DISABLE_TELEMETRY", "true"),
            text("LOG_FILTER", "warn"),
            text("LOG_DISABLE_ANSI_CODES", "true"),
        ];
        let recipe = ProcessRecipe {
            name,
            program: server.clone(),
            arguments: vec!["--no-logo".into()],
            environment,
            folder: folder.to_owned(),
            place: place.clone(),
        };
        let part = FleetProcess::start(recipe)?;
        nodes.push(EngineNode {
            part,
            ingress: format!("http://{ingress}"),
            admin: format!("http://{admin}"),
        });
    }
    for node in &mut nodes {
        node.wait_until_up()?;
    }
    Ok(nodes)
}

/// Tells the engine where a service is. Repeats while the cluster is still finding its shape.
pub fn register(admin: &str, worker: &str) -> anyhow::Result<()> {
    let body = serde_json::json!({ "uri": worker, "force": true }).to_string();
    let mut last = String::new();
    let done = plain_http::until(UP_MAX, || {
        let answer = plain_http::post(&format!("{admin}/deployments"), &[], &body);
        last = format!("{answer:?}");
        answer.is_ok_and(|(status, _)| status < 300)
    });
    if done { Ok(()) } else { bail!("the engine does not take {worker}: {last}") }
}
