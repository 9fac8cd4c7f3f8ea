//! One connection for one request.

use application::ports::system::{OutboundError, OutboundRequest, OutboundResponse};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST, USER_AGENT};
use hyper::http::response::Parts;
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, join, split};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

const JSON: &str = "application/json";

/// Bytes that a response may have besides its body: interim responses, the head, and the sizes of chunks.
const MAX_OVERHEAD: usize = 64 * 1024;

/// Maximum number of addresses of a host that are tried.
const MAX_ADDRESSES: usize = 4;

/// Connects to the first address that accepts.
pub(crate) async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, OutboundError> {
    TcpStream::connect(addresses.get(..MAX_ADDRESSES).unwrap_or(addresses))
        .await
        .map_err(|_| OutboundError::Unreachable)
}

pub(crate) async fn encrypt(
    stream: TcpStream,
    config: Arc<ClientConfig>,
    host: &str,
) -> Result<TlsStream<TcpStream>, OutboundError> {
    let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(bare).map_err(|_| OutboundError::Tls)?;
    TlsConnector::from(config).connect(name, stream).await.map_err(|_| OutboundError::Tls)
}

/// Sends the request and reads the response up to its limit.
pub(crate) async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    request: OutboundRequest,
) -> Result<OutboundResponse, OutboundError> {
    let limit = request.max_body_bytes;
    let request = http_request(request)?;
    let (reader, writer) = split(stream);
    // hyper reads any number of interim responses.
    let reader = reader.take(u64::try_from(limit.saturating_add(MAX_OVERHEAD)).unwrap_or(u64::MAX));
    let stream = TokioIo::new(join(reader, writer));
    let (mut sender, connection) = http1::handshake(stream).await.map_err(|_| OutboundError::Broken)?;
    let response = async {
        let (head, body) =
            sender.send_request(request).await.map_err(|_| OutboundError::Broken)?.into_parts();
        read(&head, body, limit).await
    };
    tokio::select! {
        response = response => response,
        never = run_connection(connection) => match never {},
    }
}

/// Runs the connection while it is polled. Never completes; the response future returns errors.
async fn run_connection(connection: impl Future<Output = hyper::Result<()>>) -> Infallible {
    let _ = connection.await;
    std::future::pending().await
}

fn http_request(request: OutboundRequest) -> Result<Request<Full<Bytes>>, OutboundError> {
    let OutboundRequest { url, json, headers, .. } = request;
    let method = if json.is_some() { Method::POST } else { Method::GET };
    let mut built = Request::builder()
        .method(method)
        .uri(url.path_and_query())
        .header(HOST, url.authority())
        .header(ACCEPT, JSON)
        .header(USER_AGENT, "Restwell");
    if json.is_some() {
        built = built.header(CONTENT_TYPE, JSON);
    }
    built = headers.into_iter().fold(built, |built, (name, value)| built.header(name, value));
    built.body(Full::from(json.unwrap_or_default())).map_err(|_| OutboundError::Broken)
}

async fn read(head: &Parts, mut body: Incoming, limit: usize) -> Result<OutboundResponse, OutboundError> {
    let printable = head.headers.iter();
    let headers = printable
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
        .collect();
    let mut response =
        OutboundResponse { status: head.status.as_u16(), headers, ..OutboundResponse::default() };
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| OutboundError::Broken)?;
        let Some(data) = frame.data_ref() else { continue };
        let room = limit.saturating_sub(response.body.len());
        response.body.extend(data.iter().take(room));
        if data.len() > room {
            response.is_cut = true;
            break;
        }
    }
    Ok(response)
}
