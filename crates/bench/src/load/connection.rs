//! One connection: HTTP/1.1 as far as a load generator needs it.

use anyhow::{Context, bail, ensure};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// More than a head of an answer has.
const BUFFER: usize = 64 * 1024;
const HEADERS: usize = 64;

/// How slowly a connection reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) bytes_per_second: u32,
}

/// An answer that was read whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Bytes of the body, without the framing.
    pub(crate) length: usize,
}

/// What is known of a body before it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Length(usize),
    Chunked,
}

/// A connection that is kept.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// What was received and not used yet.
    start: usize,
    end: usize,
    pace: Option<(Pace, Instant, usize)>,
}

impl Connection {
    /// Opens a connection.
    pub(crate) async fn open(address: SocketAddr, pace: Option<Pace>) -> anyhow::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        if pace.is_some() {
            // Else the kernel would take megabytes of the answer on behalf of who reads slowly.
            socket.set_recv_buffer_size(64 * 1024)?;
        }
        let stream = socket.connect(address).await.with_context(|| format!("nobody listens at {address}"))?;
        stream.set_nodelay(true)?;
        let pace = pace.map(|pace| (pace, Instant::now(), 0));
        Ok(Self { stream, buffer: vec![0; BUFFER], start: 0, end: 0, pace })
    }

    /// Sends a request and reads its answer; the pieces of the body go to `sink`.
    pub(crate) async fn exchange(
        &mut self,
        request: &[u8],
        sink: &mut impl FnMut(&[u8]),
    ) -> anyhow::Result<Answer> {
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
        Ok(Answer { status, length })
    }

    /// Sends a request.
    pub(crate) async fn send(&mut self, request: &[u8]) -> anyhow::Result<()> {
        Ok(self.stream.write_all(request).await?)
    }

    /// Receives what there is of an answer, as slowly as the pace wants, and throws it away.
    pub(crate) async fn read_some(&mut self) -> anyhow::Result<()> {
        self.start = self.end;
        self.receive().await
    }

    /// Reads the head of an answer.
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

    /// Reads chunks to the last one; returns how long the body was.
    async fn chunks(&mut self, sink: &mut impl FnMut(&[u8])) -> anyhow::Result<usize> {
        let mut length = 0;
        loop {
            match httparse::parse_chunk_size(self.received()) {
                Ok(httparse::Status::Complete((head, size))) => {
                    self.start += head;
                    let size = usize::try_from(size)?;
                    self.pass(size, sink).await?;
                    // The end of the line. No answer of ours has trailers.
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

    /// Hands so many bytes to the sink.
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

    /// Receives something more.
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

/// Says how the body of an answer is framed.
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
