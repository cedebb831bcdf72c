//! A simulator for tests: started on a free loopback port, stopped when dropped.

use std::io;

use tokio::{net::TcpListener, task::JoinSet};

use crate::{
    serve::{self, SimulatorHandle, TimeMode},
    world::WorldSettings,
};

#[derive(Debug, Clone, Copy)]
pub struct SimulatorOptions {
    pub world: WorldSettings,
    pub time: TimeMode,
}

impl Default for SimulatorOptions {
    fn default() -> Self {
        Self { world: WorldSettings::default(), time: TimeMode::Real { speed: 1.0 } }
    }
}

/// A running simulator. Dropping it cuts every connection and frees the port.
#[derive(Debug)]
pub struct Simulator {
    base_url: String,
    handle: SimulatorHandle,
    _server: JoinSet<io::Result<()>>,
}

impl Simulator {
    /// Binds a free port on 127.0.0.1 and serves on the current runtime.
    pub async fn start(options: SimulatorOptions) -> io::Result<Self> {
        Self::start_on(TcpListener::bind(("127.0.0.1", 0)).await?, options)
    }

    /// The same on a listener of the caller's.
    pub fn start_on(listener: TcpListener, options: SimulatorOptions) -> io::Result<Self> {
        let base_url = format!("http://{}", listener.local_addr()?);
        let handle = SimulatorHandle::new(options.world, options.time);
        let mut server = JoinSet::new();
        server.spawn(serve::serve(listener, handle.clone(), std::future::pending()));
        Ok(Self { base_url, handle, _server: server })
    }

    /// Without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    pub fn handle(&self) -> &SimulatorHandle {
        &self.handle
    }
}
