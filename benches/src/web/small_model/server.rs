//! llama.cpp's server as a process of its own, ended with us.

use std::process::Stdio;

use anyhow::Context;

use crate::rig::{self, ProcessGroup};

pub struct LlamaServer {
    pub base_url: String,
    _process: ProcessGroup,
}

impl LlamaServer {
    /// The server when its model is loaded; nothing if it is not installed.
    pub fn start() -> anyhow::Result<Option<Self>> {
        let tools = rig::repository().join(".tools/small-model");
        let (python, model) =
            (tools.join("python/bin/python"), tools.join("SmolLM2-135M-Instruct.Q4_1.gguf"));
        if !python.exists() || !model.exists() {
            return Ok(None);
        }
        let script = rig::repository().join("benches/checks/small-model/serve.py");
        let mut command = rig::command(python);
        let mut process =
            ProcessGroup::spawn(command.arg(script).arg(model).stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let stdout = process.child.stdout.take().context("the server has no stdout")?;
        let line =
            rig::first_line_with(stdout, "base_url").context("the small model's server did not start")?;
        let ready: serde_json::Value = serde_json::from_str(&line)?;
        let base_url = ready.get("base_url").and_then(|url| url.as_str()).context("no base_url")?.to_owned();
        Ok(Some(Self { base_url, _process: process }))
    }
}
