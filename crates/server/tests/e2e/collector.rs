//! A stand-in for what watches a server: a collector of traces, and whoever asks for its metrics.

use super::server::Server;
use super::world::World;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Takes whatever is posted to it, and remembers it.
pub(crate) struct Collector {
    address: SocketAddr,
    taken: Arc<Mutex<Vec<u8>>>,
}

impl Collector {
    /// Begins to listen; its threads end with the test's process.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listener");
        let address = listener.local_addr().expect("address");
        let taken = Arc::new(Mutex::new(Vec::new()));
        let kept = taken.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = kept.clone();
                std::thread::spawn(move || take_all(stream, &kept));
            }
        });
        Self { address, taken }
    }

    /// A world whose servers send every trace here, and tell their metrics.
    pub(crate) fn watching(&self, world: World) -> World {
        world
            .with("RESTWELL__TRACES__OTLP_ENDPOINT", &format!("http://{}", self.address))
            .with("RESTWELL__TRACES__SAMPLE_RATIO", "1.0")
            .with("RESTWELL__METRICS__LISTEN", "127.0.0.1:0")
    }

    /// Everything that came so far, heads and bodies. Texts in protobuf are as they are.
    pub(crate) fn taken(&self) -> Vec<u8> {
        self.taken.lock().expect("lock").clone()
    }

    /// Tells whether these bytes came.
    pub(crate) fn has(&self, bytes: &[u8]) -> bool {
        self.taken().windows(bytes.len()).any(|window| window == bytes)
    }
}

/// Answers requests on one connection until it ends.
fn take_all(stream: TcpStream, kept: &Mutex<Vec<u8>>) {
    let mut answers = stream.try_clone().expect("stream");
    let mut requests = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if requests.read_line(&mut line).unwrap_or_default() == 0 {
                return;
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().expect("length");
            }
            head.push_str(&line);
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        if requests.read_exact(&mut body).is_err() {
            return;
        }
        kept.lock().expect("lock").extend([head.into_bytes(), body].concat());
        let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";
        if answers.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Asks a server for its metrics, at the address that its log names.
pub(crate) async fn metrics(server: &Server) -> String {
    let url = format!("{}/metrics", metrics_url(server).expect("a listener for metrics"));
    let answer = reqwest::get(url).await.expect("metrics");
    assert_eq!(answer.status(), 200);
    answer.text().await.expect("text")
}

/// Finds where a server tells its metrics; nothing where it does not.
pub(crate) fn metrics_url(server: &Server) -> Option<String> {
    let told = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        let address = line.get("address")?.as_str()?.to_owned();
        (line["message"] == "metrics are told").then(|| format!("http://{address}"))
    };
    server.log().lines().find_map(told)
}
