//! Delays of responses on a persistent connection.

use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use socket2::SockRef;
use std::os::fd::OwnedFd;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Finds the server's end of a connection among the open files of its process.
fn other_end(server: &Server, of: &TcpStream) -> OwnedFd {
    let (pid, here) = (server.pid().cast_signed(), of.local_addr().expect("address"));
    let process = pidfd_open(Pid::from_raw(pid).expect("process id"), PidfdFlags::empty()).expect("process");
    let numbers = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("open files").filter_map(|entry| {
        let entry = entry.ok()?;
        let is_socket = std::fs::read_link(entry.path()).ok()?.to_str()?.starts_with("socket:");
        is_socket.then(|| entry.file_name().to_str()?.parse().ok()).flatten()
    });
    let mut copies = numbers.map(|number| {
        let copy = pidfd_getfd(&process, number, PidfdGetfdFlags::empty());
        // A server is a child of its test, which may inspect it; without that permission the test cannot run.
        copy.expect("a copy of a socket of the server (containers need the capability SYS_PTRACE for it)")
    });
    let is_the_one = |copy: &OwnedFd| {
        let peer = SockRef::from(copy).peer_addr().ok().and_then(|peer| peer.as_socket());
        peer == Some(here)
    };
    copies.find(is_the_one).expect("the server's end")
}

// Without TCP_NODELAY, about every third large response on a persistent connection takes 40 ms longer. The
// test checks the option, because times are unreliable on a busy machine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_chunk_does_not_wait_for_an_acknowledgement() {
    let server = World::new(StoreKind::Sqlite).await.in_processes().serve();
    let mut connection = TcpStream::connect(server.address()).await.expect("connection");
    connection.write_all(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("request");
    // The connection is accepted and served by now.
    connection.read_exact(&mut [0; 12]).await.expect("answer");
    let other_end = other_end(&server, &connection);
    assert!(SockRef::from(&other_end).tcp_nodelay().expect("option"));
}
