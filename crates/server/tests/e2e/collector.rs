//! A collector of traces, and a client for metrics.

use super::server::Server;
use super::world::World;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// HTTP server that records everything posted to it.
pub(crate) struct Collector {
    url: String,
    taken: Arc<Mutex<Vec<u8>>>,
}

impl Collector {
    /// Starts listening; its threads end with the test's process.
    pub(crate) fn start() -> Self {
        Self::listen(None)
    }

    /// Starts listening with TLS, as `localhost`.
    pub(crate) fn start_encrypted(tls: ServerConfig) -> Self {
        Self::listen(Some(Arc::new(tls)))
    }

    fn listen(tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listener");
        let port = listener.local_addr().expect("address").port();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let taken = Arc::new(Mutex::new(Vec::new()));
        let kept = taken.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, tls) = (kept.clone(), tls.clone());
                std::thread::spawn(move || match tls {
                    None => take_all(stream, &kept),
                    Some(tls) => {
                        let tls = ServerConnection::new(tls).expect("TLS");
                        take_all(StreamOwned::new(tls, stream), &kept);
                    }
                });
            }
        });
        Self { url: format!("{scheme}://localhost:{port}"), taken }
    }

    /// Returns a world whose servers send every trace here, and export metrics.
    pub(crate) fn watching(&self, world: World) -> World {
        world
            .with("RESTWELL__TRACES__OTLP_ENDPOINT", &self.url)
            .with("RESTWELL__TRACES__SAMPLE_RATIO", "1.0")
            .with("RESTWELL__METRICS__LISTEN", "127.0.0.1:0")
    }

    /// Returns everything received so far, heads and bodies. Strings in protobuf are unencoded.
    pub(crate) fn taken(&self) -> Vec<u8> {
        self.taken.lock().expect("lock").clone()
    }

    /// Returns whether these bytes were received.
    pub(crate) fn has(&self, bytes: &[u8]) -> bool {
        self.taken().windows(bytes.len()).any(|window| window == bytes)
    }
}

/// Handles requests on one connection until it ends.
fn take_all(stream: impl Read + Write, kept: &Mutex<Vec<u8>>) {
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
        let answers = requests.get_mut();
        if answers.write_all(answer.as_bytes()).and_then(|()| answers.flush()).is_err() {
            return;
        }
    }
}

/// Reads the metrics of a server, at the address in its log.
pub(crate) async fn metrics(server: &Server) -> String {
    let url = format!("{}/metrics", metrics_url(server).expect("a listener for metrics"));
    let answer = reqwest::get(url).await.expect("metrics");
    assert_eq!(answer.status(), 200);
    answer.text().await.expect("text")
}

/// Returns the URL of a server's metrics; `None` if they are off.
pub(crate) fn metrics_url(server: &Server) -> Option<String> {
    let reported = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        let address = line.get("address")?.as_str()?.to_owned();
        (line["message"] == "serving metrics").then(|| format!("http://{address}"))
    };
    server.log().lines().find_map(reported)
}
