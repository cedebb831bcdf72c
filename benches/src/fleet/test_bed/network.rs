//! Parts in networks of their own, joined by a bridge, so that any two of them can be cut off from each other.
//!
//! Only for a process that has a network and mounts of its own (`unshare --net --mount`): everything made here
//! vanishes with it. A cut drops packets in both directions and tells nobody, as a broken switch does.

use anyhow::{Context, bail};

use super::process::ProcessNetwork;
use crate::rig;

const BRIDGE: &str = "hub";
/// The measuring process itself, on the bridge.
const OWN_ADDRESS: &str = "10.77.0.1/24";
/// Where the workers are, whichever they are.
pub const SHARED_ADDRESS: &str = "10.77.0.200";

pub struct BridgedNetwork {
    places: Vec<ProcessNetwork>,
}

impl BridgedNetwork {
    /// Makes `count` networks; the first addresses are 10.77.0.11 and on.
    pub fn build(count: usize) -> anyhow::Result<Self> {
        run("mkdir", &["-p", "/run/netns"])?;
        run("mount", &["-t", "tmpfs", "tmpfs", "/run/netns"])?;
        run("ip", &["link", "set", "lo", "up"])?;
        run("ip", &["link", "add", BRIDGE, "type", "bridge"])?;
        run("ip", &["addr", "add", OWN_ADDRESS, "dev", BRIDGE])?;
        run("ip", &["link", "set", BRIDGE, "up"])?;
        let mut places = Vec::new();
        for number in 0..count {
            let (name, outside) = (format!("part{number}"), format!("wire{number}"));
            let address = format!("10.77.0.{}", number + 11);
            run("ip", &["netns", "add", &name])?;
            run("ip", &["link", "add", &outside, "type", "veth", "peer", "name", "eth0", "netns", &name])?;
            run("ip", &["link", "set", &outside, "master", BRIDGE, "up"])?;
            inside(&name, &["ip", "addr", "add", &format!("{address}/24"), "dev", "eth0"])?;
            inside(&name, &["ip", "link", "set", "eth0", "up"])?;
            inside(&name, &["ip", "link", "set", "lo", "up"])?;
            inside(&name, &["nft", "add", "table", "inet", "cut"])?;
            for (chain, hook) in [("arrives", "input"), ("leaves", "output")] {
                let rule = format!("{{ type filter hook {hook} priority 0; policy accept; }}");
                inside(&name, &["nft", "add", "chain", "inet", "cut", chain, &rule])?;
            }
            places.push(ProcessNetwork::Namespace { name, address });
        }
        Ok(Self { places })
    }

    pub fn place(&self, number: usize) -> anyhow::Result<ProcessNetwork> {
        self.places.get(number).cloned().context("no such place in the network")
    }

    /// Connections that `from` opens to the shared address go to `to` in turn, as a service address in a cluster does.
    pub fn share(&self, from: &[ProcessNetwork], to: &[ProcessNetwork]) -> anyhow::Result<()> {
        let turns: Vec<String> =
            to.iter().enumerate().map(|(turn, place)| format!("{turn} : {}", place.address())).collect();
        let map = format!("{{ {} }}", turns.join(", "));
        for place in from {
            let ProcessNetwork::Namespace { name, .. } = place else {
                bail!("only networks share an address")
            };
            inside(name, &["nft", "add", "table", "ip", "share"])?;
            let hook = "{ type nat hook output priority -100; }";
            inside(name, &["nft", "add", "chain", "ip", "share", "leaves", hook])?;
            let count = turns.len().to_string();
            let rule =
                ["ip", "daddr", SHARED_ADDRESS, "dnat", "to", "numgen", "inc", "mod", &count, "map", &map];
            inside(name, &[&["nft", "add", "rule", "ip", "share", "leaves"], &rule[..]].concat())?;
        }
        Ok(())
    }

    /// Lets what runs at `from` reach a port of `to` as its own machine's: the program speaks plain HTTP to nobody else.
    pub fn as_own(&self, from: &[ProcessNetwork], port: &str, to: &ProcessNetwork) -> anyhow::Result<()> {
        for place in from {
            let ProcessNetwork::Namespace { name, .. } = place else {
                bail!("only networks have machines of their own")
            };
            inside(name, &["sh", "-c", "echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet"])?;
            inside(name, &["nft", "add", "table", "ip", "own"])?;
            for (chain, kind) in [("leaves", "output priority -100"), ("left", "postrouting priority 100")] {
                let hook = format!("{{ type nat hook {kind}; }}");
                inside(name, &["nft", "add", "chain", "ip", "own", chain, &hook])?;
            }
            let rule = ["ip", "daddr", "127.0.0.1", "tcp", "dport", port, "dnat", "to", to.address()];
            inside(name, &[&["nft", "add", "rule", "ip", "own", "leaves"], &rule[..]].concat())?;
            let rule = ["ip", "daddr", to.address(), "masquerade"];
            inside(name, &[&["nft", "add", "rule", "ip", "own", "left"], &rule[..]].concat())?;
        }
        Ok(())
    }

    /// From now on nothing passes between the two.
    pub fn cut(&self, one: &ProcessNetwork, other: &ProcessNetwork) -> anyhow::Result<()> {
        let (ProcessNetwork::Namespace { name, .. }, ProcessNetwork::Namespace { address, .. }) =
            (one, other)
        else {
            bail!("only networks can be cut")
        };
        inside(name, &["nft", "add", "rule", "inet", "cut", "arrives", "ip", "saddr", address, "drop"])?;
        inside(name, &["nft", "add", "rule", "inet", "cut", "leaves", "ip", "daddr", address, "drop"])
    }

    /// Everything passes again.
    pub fn heal(&self) -> anyhow::Result<()> {
        for place in &self.places {
            if let ProcessNetwork::Namespace { name, .. } = place {
                inside(name, &["nft", "flush", "table", "inet", "cut"])?;
            }
        }
        Ok(())
    }
}

fn inside(name: &str, words: &[&str]) -> anyhow::Result<()> {
    run("ip", &[&["netns", "exec", name], words].concat())
}

fn run(program: &str, words: &[&str]) -> anyhow::Result<()> {
    let finished = rig::command(program).args(words).output().with_context(|| program.to_owned())?;
    if finished.status.success() {
        return Ok(());
    }
    bail!("`{program} {}`: {}", words.join(" "), String::from_utf8_lossy(&finished.stderr))
}
