//! Shutdown of a server: after the requests in progress, within a time limit.

use super::records;
use crate::e2e::app::{Registration, SCOPES, code, redeem, register};
use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Number of sessions on the slow page, with 400 stages each: far more than sockets buffer.
const NIGHTS: usize = 300;

fn many_nights(world: &World) -> Registration {
    let registration = register(world);
    let file = world.file("nights.ndjson", &records::nights(NIGHTS, 400));
    let report = world.json(&["import", "--user", &registration.user_id, "--json", &file]);
    assert_eq!(report["sessions"]["new"], NIGHTS);
    registration
}

/// Client that requested a page with all stages and has read only its beginning.
struct SlowReader {
    stream: TcpStream,
    read: Vec<u8>,
}

impl SlowReader {
    async fn ask(world: &World, server: &Server, registration: &Registration) -> Self {
        let tokens = redeem(server, registration, &code(world, registration, &SCOPES)).await;
        let socket = TcpSocket::new_v4().expect("socket");
        socket.set_recv_buffer_size(16 * 1024).expect("buffer");
        let mut stream =
            socket.connect(server.address().parse().expect("address")).await.expect("connection");
        let path = format!("/api/v1/sleep/{}?pageSize=10000&include_stages=true", registration.user_id);
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
            server.address(),
            tokens.access
        );
        stream.write_all(request.as_bytes()).await.expect("request");
        let mut read = vec![0; 8 * 1024];
        stream.read_exact(&mut read).await.expect("beginning");
        assert!(read.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&read));
        Self { stream, read }
    }

    /// Reads the rest of the body.
    async fn finish(mut self) -> usize {
        let mut more = vec![0; 256 * 1024];
        while !self.read.ends_with(b"\r\n0\r\n\r\n") {
            let length = self.stream.read(&mut more).await.expect("more");
            assert!(length > 0, "the answer broke off after {} bytes", self.read.len());
            self.read.extend(&more[..length]);
        }
        let sessions = self.read.windows(20).filter(|window| window == b"\"time_in_bed_start\":").count();
        assert_eq!(sessions, NIGHTS);
        self.read.len()
    }
}

async fn a_running_answer_is_finished_after(signal: &str, world: &World, registration: &Registration) {
    let mut server = world.serve();
    let reader = SlowReader::ask(world, &server, registration).await;
    server.signal(signal);
    let closed = async || TcpStream::connect(server.address()).await.is_err().then_some(());
    eventually("it takes no connections", closed).await;
    assert!(server.is_running(), "it did not wait:\n{}", server.log());
    let bytes = reader.finish().await;
    assert!(bytes > 8_000_000, "{bytes} bytes could have been in the buffers of the sockets");
    assert_eq!(server.wait(), Some(0));
    assert!(server.log().contains("stopping"), "{}", server.log());
}

async fn an_unread_response_is_aborted(world: &World, registration: &Registration) {
    let mut server = world.serve();
    let reader = SlowReader::ask(world, &server, registration).await;
    let started = Instant::now();
    assert_eq!(server.terminate(), Some(0));
    assert!(started.elapsed() >= Duration::from_millis(2_400), "it did not wait: {:?}", started.elapsed());
    drop(reader);
}

on_sqlite! {
    async fn a_stopping_server_completes_responses_in_progress(world: World) {
        let world = world.in_processes();
        let registration = many_nights(&world);
        // Enough time for reading on a busy machine.
        let world = world.with("RESTWELL__SERVER__STOP_SECONDS", "60");
        a_running_answer_is_finished_after("TERM", &world, &registration).await;
        a_running_answer_is_finished_after("INT", &world, &registration).await;
        let world = world.with("RESTWELL__SERVER__STOP_SECONDS", "3");
        an_unread_response_is_aborted(&world, &registration).await;
    }

    async fn idle_connections_do_not_delay_the_shutdown(world: World) {
        let world = world.in_processes();
        // Longer than the test waits: it would fail if the server waited for idle connections.
        let mut server = world.with("RESTWELL__SERVER__STOP_SECONDS", "600").serve();
        let client = reqwest::Client::new();
        let url = format!("{}/livez", server.base_url);
        assert_eq!(client.get(&url).send().await.expect("answer").status(), 200);
        let idle = TcpStream::connect(server.address()).await.expect("connection");
        assert_eq!(server.terminate(), Some(0));
        drop(idle);
    }
}
