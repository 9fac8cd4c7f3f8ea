//! A running HAProxy or nginx.

use crate::e2e::operation::tls::authority::Authority;
use crate::e2e::polling::eventually;
use crate::e2e::program::program;
use reqwest::Client;
use std::fs::{File, Permissions};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Host names that the tests use, including `evil.example`, so that a foreign `Host` reaches the replicas.
const NAMES: &str = "127.0.0.1 a evil.example";

/// Kind of proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Haproxy,
    Nginx,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Haproxy, Self::Nginx];
}

/// Proxy in front of two replicas; killed on drop.
pub(super) struct Proxy {
    child: Child,
    dir: TempDir,
    pub(super) address: SocketAddr,
}

impl Proxy {
    /// Starts the proxy with its file in `deploy` and waits until it forwards requests. It serves plain http
    /// here, as behind a TLS terminator; scripts/check-deploy runs the files with TLS.
    pub(super) async fn start(kind: Kind, replicas: [&str; 2]) -> Self {
        let dir = TempDir::new().expect("temporary folder");
        // If root starts nginx, its workers run as nobody.
        std::fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).expect("permissions");
        let address = free_address();
        let mut command = match kind {
            Kind::Haproxy => haproxy(address, replicas),
            Kind::Nginx => nginx(dir.path(), address, replicas),
        };
        let file = |name: &str| {
            File::options().create(true).append(true).open(dir.path().join(name)).expect("log file")
        };
        command.stdin(Stdio::null()).stdout(file("out.log")).stderr(file("err.log"));
        let child = command.spawn().unwrap_or_else(|error| panic!("{kind:?} does not start: {error}"));
        let proxy = Self { child, dir, address };
        eventually(&format!("{kind:?} is in front of two replicas"), async || {
            // Two in a row: one from each replica.
            for _ in 0..2 {
                let answer = Client::new().get(format!("{}/readyz", proxy.base_url())).send().await.ok()?;
                answer.status().is_success().then_some(())?;
            }
            Some(())
        })
        .await;
        proxy
    }

    pub(super) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns everything that the proxy has written so far.
    pub(super) fn log(&self) -> String {
        let read = |name: &str| std::fs::read(self.dir.path().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&[read("out.log"), read("err.log")].concat()).into_owned()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the proxy said:\n{}", self.log());
        }
        // SIGTERM, because nginx's workers outlive a killed master.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        for _ in 0..100 {
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a free address: neither proxy can choose a port and report it. Another process could only take it
/// if the system had run out of other ports.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("port");
    listener.local_addr().expect("address")
}

fn deployed(file: &str) -> String {
    format!("{}/../../deploy/{file}", env!("CARGO_MANIFEST_DIR"))
}

fn haproxy(address: SocketAddr, [one, other]: [&str; 2]) -> Command {
    let mut command = Command::new(program("haproxy"));
    command.args(["-db", "-f", &deployed("haproxy/haproxy.cfg")]);
    command.env("RESTWELL_PROXY_HOST", NAMES).env("RESTWELL_PROXY_BIND", address.to_string());
    // Several instances run concurrently.
    command.env("RESTWELL_PROXY_PLAIN_BIND", format!("abns@restwell-plain-{}", address.port()));
    command.env("RESTWELL_PROXY_INNER", format!("abns@restwell-{}", address.port()));
    command.env("RESTWELL_REPLICA_A", one).env("RESTWELL_REPLICA_B", other);
    command
}

/// Writes the main configuration around the file of `deploy`, which is the content of `http`.
fn nginx(dir: &Path, address: SocketAddr, [one, other]: [&str; 2]) -> Command {
    let template = std::fs::read_to_string(deployed("nginx/restwell.conf")).expect("file");
    Authority::new().certify(dir);
    let path = |name: &str| dir.join(name).display().to_string();
    let listen = address.to_string();
    let variables = [
        ("RESTWELL_PROXY_HOST", NAMES),
        ("RESTWELL_PROXY_LISTEN", &listen),
        ("RESTWELL_PROXY_PLAIN_LISTEN", &format!("unix:{}", path("plain.sock"))),
        ("RESTWELL_PROXY_CERTIFICATE", &path("tls.crt")),
        ("RESTWELL_PROXY_KEY", &path("tls.key")),
        ("RESTWELL_REPLICA_A", one),
        ("RESTWELL_REPLICA_B", other),
    ];
    let site = variables.into_iter().fold(template, |text, (name, value)| {
        assert!(text.contains(&format!("${{{name}}}")), "{name} is not in the file");
        text.replace(&format!("${{{name}}}"), value)
    });
    std::fs::write(dir.join("restwell.conf"), site).expect("file");
    let folder = dir.display();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {folder}/{kind};\n"))
        .concat();
    let main = format!(
        "daemon off;\npid {folder}/nginx.pid;\nerror_log /dev/stderr notice;\nworker_processes 1;\n\
         events {{ worker_connections 2048; }}\nhttp {{\n{temporary}include {folder}/restwell.conf;\n}}\n"
    );
    std::fs::write(dir.join("nginx.conf"), main).expect("file");
    let mut command = Command::new(program("nginx"));
    command.arg("-c").arg(dir.join("nginx.conf"));
    command
}
