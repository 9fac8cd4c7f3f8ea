//! A minimal HTTP/1.1 client connection.

use anyhow::{Context, bail, ensure};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Larger than any response head.
const BUFFER: usize = 64 * 1024;
const HEADERS: usize = 64;

/// Read rate of a slow connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) bytes_per_second: u32,
}

/// A fully read response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Length of the body in bytes, without framing.
    pub(crate) length: usize,
}

/// Framing of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Length(usize),
    Chunked,
}

/// A persistent connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Received bytes that are not yet consumed.
    start: usize,
    end: usize,
    pace: Option<(Pace, Instant, usize)>,
}

impl Connection {
    /// Opens a connection.
    pub(crate) async fn open(address: SocketAddr, pace: Option<Pace>) -> anyhow::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        if pace.is_some() {
            // A small buffer, or the kernel would accept megabytes for a slow reader.
            socket.set_recv_buffer_size(64 * 1024)?;
        }
        let stream = socket.connect(address).await.with_context(|| format!("nobody listens at {address}"))?;
        stream.set_nodelay(true)?;
        let pace = pace.map(|pace| (pace, Instant::now(), 0));
        Ok(Self { stream, buffer: vec![0; BUFFER], start: 0, end: 0, pace })
    }

    /// Sends a request and reads its response; pieces of the body go to `sink`.
    pub(crate) async fn exchange(
        &mut self,
        request: &[u8],
        sink: &mut impl FnMut(&[u8]),
    ) -> anyhow::Result<Response> {
        if let Some((_, since, bytes)) = &mut self.pace {
            (*since, *bytes) = (Instant::now(), 0);
        }
        self.send(request).await?;
        let (status, framing) = self.head().await?;
        let length = match framing {
            Framing::Length(length) => {
                self.pass(length, sink).await?;
                length
            }
            Framing::Chunked => self.chunks(sink).await?,
        };
        Ok(Response { status, length })
    }

    /// Sends a request.
    pub(crate) async fn send(&mut self, request: &[u8]) -> anyhow::Result<()> {
        Ok(self.stream.write_all(request).await?)
    }

    /// Reads part of a response at the given rate and discards it.
    pub(crate) async fn read_some(&mut self) -> anyhow::Result<()> {
        self.start = self.end;
        self.receive().await
    }

    /// Reads the head of a response.
    async fn head(&mut self) -> anyhow::Result<(u16, Framing)> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; HEADERS];
            let mut answer = httparse::Response::new(&mut headers);
            if let httparse::Status::Complete(length) = answer.parse(self.received())? {
                let status = answer.code.context("an answer without a status")?;
                let framing = framing(answer.headers)?;
                self.start += length;
                return Ok((status, framing));
            }
            self.receive().await?;
        }
    }

    /// Reads all chunks; returns the length of the body.
    async fn chunks(&mut self, sink: &mut impl FnMut(&[u8])) -> anyhow::Result<usize> {
        let mut length = 0;
        loop {
            match httparse::parse_chunk_size(self.received()) {
                Ok(httparse::Status::Complete((head, size))) => {
                    self.start += head;
                    let size = usize::try_from(size)?;
                    self.pass(size, sink).await?;
                    // The final line end; no response has trailers.
                    self.pass(2, &mut |_| {}).await?;
                    length += size;
                    if size == 0 {
                        return Ok(length);
                    }
                }
                Ok(httparse::Status::Partial) => self.receive().await?,
                Err(_) => bail!("a chunk has no size"),
            }
        }
    }

    /// Passes this many bytes to the sink.
    async fn pass(&mut self, mut length: usize, sink: &mut impl FnMut(&[u8])) -> anyhow::Result<()> {
        while length > 0 {
            if self.start == self.end {
                self.receive().await?;
            }
            let here = length.min(self.end - self.start);
            sink(self.received().get(..here).unwrap_or_default());
            self.start += here;
            length -= here;
        }
        Ok(())
    }

    fn received(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Receives more bytes.
    async fn receive(&mut self) -> anyhow::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        ensure!(!room.is_empty(), "the head of an answer is too long");
        let received = self.stream.read(room).await?;
        ensure!(received > 0, "the server ended the connection");
        self.end += received;
        if let Some((pace, since, bytes)) = &mut self.pace {
            *bytes += received;
            let due = Duration::from_secs(u64::try_from(*bytes)?) / pace.bytes_per_second;
            tokio::time::sleep(due.saturating_sub(since.elapsed())).await;
        }
        Ok(())
    }
}

/// Returns the framing of a body.
fn framing(headers: &[httparse::Header<'_>]) -> anyhow::Result<Framing> {
    let value = |name: &str| {
        let header = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(header.value).ok()
    };
    if value("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        return Ok(Framing::Chunked);
    }
    let length = value("content-length").context("an answer without a length")?;
    Ok(Framing::Length(length.trim().parse()?))
}
