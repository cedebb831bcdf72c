//! A real server that speaks S3 (SeaweedFS) for the tests, on free ports and a directory of its own.
//!
//! It dies with the test process, however that ends: a shell holds a pipe to it. Where it is not installed the
//! tests say so and pass.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

pub const KEY_ID: &str = "PROBITYTESTKEY";
pub const KEY_SECRET: &str = "probity-test-secret";
pub const BUCKET: &str = "library";

/// On a busy machine it takes 20 seconds to find itself again after a crash.
const START_MAX: Duration = Duration::from_secs(120);

pub struct ObjectServer {
    program: PathBuf,
    root: TempDir,
    ports: [u16; 8],
    keeper: Option<Child>,
}

impl ObjectServer {
    /// `None`, with a notice, where it is not installed.
    pub fn start() -> Option<Self> {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/seaweedfs/bin/weed");
        if !program.is_file() {
            println!("skipped: no SeaweedFS at {}; `.ci/install` brings it", program.display());
            return None;
        }
        let root = tempfile::Builder::new().prefix("probity-objects-").tempdir().unwrap();
        fs::create_dir(root.path().join("data")).unwrap();
        let identity = format!(
            r#"{{"identities":[{{"name":"probity","actions":["Admin","Read","Write","List"],
                "credentials":[{{"accessKey":"{KEY_ID}","secretKey":"{KEY_SECRET}"}}]}}]}}"#
        );
        fs::write(root.path().join("keys.json"), identity).unwrap();
        let mut server = Self { program, root, ports: free_ports(), keeper: None };
        server.launch();
        server.make_bucket();
        Some(server)
    }

    /// What the settings say about it.
    pub fn place(&self, bucket: &str) -> String {
        format!("s3:http://127.0.0.1:{}/{bucket}", self.ports[6])
    }

    pub fn launch(&mut self) {
        let root = self.root.path().display();
        let [master, master_inner, volume, volume_inner, filer, filer_inner, s3, s3_inner] = self.ports;
        let script = format!(
            "{program} server -dir={root}/data -ip=127.0.0.1 -ip.bind=127.0.0.1 -master.telemetry=false \
             -master.port={master} -master.port.grpc={master_inner} -master.volumeSizeLimitMB=64 \
             -volume.port={volume} -volume.port.grpc={volume_inner} -volume.max=10 \
             -filer -filer.port={filer} -filer.port.grpc={filer_inner} \
             -s3 -s3.port={s3} -s3.port.grpc={s3_inner} -s3.port.iceberg=0 -s3.port.lance=0 \
             -s3.autoCreateBucket=false -s3.config={root}/keys.json >>{root}/log 2>&1 & \
             server=$!; read word; kill -9 $server; wait $server",
            program = self.program.display(),
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(self.root.path());
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        self.keeper = Some(shell.spawn().unwrap());
        self.wait_for("an answer", || self.ask(self.ports[6], "GET /status").is_some());
    }

    /// Ends it at once, as a crash does.
    pub fn crash(&mut self) {
        let mut keeper = self.keeper.take().unwrap();
        drop(keeper.stdin.take());
        keeper.wait().unwrap();
    }

    /// A bucket is a directory of the server's own file layer.
    fn make_bucket(&self) {
        let ask = format!("POST /buckets/{BUCKET}/");
        self.wait_for("the bucket", || self.ask(self.ports[4], &ask).is_some_and(|status| status == "201"));
    }

    fn wait_for(&self, what: &str, mut is_there: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_there() {
            let log = || fs::read_to_string(self.root.path().join("log")).unwrap_or_default();
            assert!(began.elapsed() < START_MAX, "no {what} from the server: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The status of one request, if there was an answer.
    fn ask(&self, port: u16, request: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let head = "HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        stream.write_all(format!("{request} {head}").as_bytes()).ok()?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).ok()?;
        Some(String::from_utf8_lossy(&answer[9..]).into_owned())
    }
}

impl Drop for ObjectServer {
    fn drop(&mut self) {
        if self.keeper.is_some() {
            self.crash();
        }
    }
}

fn free_ports() -> [u16; 8] {
    // Held together, so that no port is given out twice.
    let listeners = [(); 8].map(|()| TcpListener::bind(("127.0.0.1", 0)).unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}
