//! A host of a client metadata document, on a loopback port with TLS.

use crate::e2e::operation::tls::authority::Authority;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// Host; stopped on drop.
pub(super) struct DocumentHost {
    /// Name and port, as the operator lists them.
    pub(super) host: String,
    /// Certificate of the authority that signed its certificate.
    pub(super) authority: String,
    response: Arc<Mutex<String>>,
    fetches: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl DocumentHost {
    /// Starts on a free port, with a valid document.
    pub(super) async fn start() -> Self {
        let authority = Authority::new();
        let acceptor = TlsAcceptor::from(Arc::new(authority.server()));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("port");
        let host = format!("localhost:{}", listener.local_addr().expect("address").port());
        let (response, fetches) = (Arc::new(Mutex::new(String::new())), Arc::new(AtomicUsize::new(0)));
        let (given, counted) = (response.clone(), fetches.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                let response = given.lock().expect("response").clone();
                tokio::spawn(serve(acceptor.clone(), stream, response));
            }
        });
        let started = Self { host, authority: authority.pem(), response, fetches, task };
        started.serve(&started.document());
        started
    }

    /// Returns the URL of the document.
    pub(super) fn url(&self) -> String {
        format!("https://{}/client.json", self.host)
    }

    /// Returns the valid document.
    pub(super) fn document(&self) -> Value {
        json!({
            "client_id": self.url(),
            "client_name": "Published Owl",
            "redirect_uris": [super::LOOPBACK_URI],
            "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code", "refresh_token"],
        })
    }

    /// Serves this document from now on.
    pub(super) fn serve(&self, document: &Value) {
        self.respond("200 OK", "content-type: application/json", &document.to_string());
    }

    /// Responds like this from now on.
    pub(super) fn respond(&self, status: &str, header: &str, body: &str) {
        let length = body.len();
        *self.response.lock().expect("response") =
            format!("HTTP/1.1 {status}\r\n{header}\r\ncontent-length: {length}\r\n\r\n{body}");
    }

    /// Returns the number of connections so far.
    pub(super) fn fetches(&self) -> usize {
        self.fetches.load(Ordering::Relaxed)
    }
}

impl Drop for DocumentHost {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream, response: String) -> Option<()> {
    let mut stream = acceptor.accept(stream).await.ok()?;
    let mut request = [0; 4096];
    let read = stream.read(&mut request).await.ok()?;
    let request = String::from_utf8_lossy(&request[..read]).to_lowercase();
    assert!(request.starts_with("get /client.json http/1.1\r\n"), "{request}");
    assert!(!request.contains("cookie") && !request.contains("authorization"), "{request}");
    stream.write_all(response.as_bytes()).await.ok()?;
    stream.shutdown().await.ok()
}
