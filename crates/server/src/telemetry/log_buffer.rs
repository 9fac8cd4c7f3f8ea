//! Buffer of log lines.
//!
//! A system call for each line costs a tenth of a small read. Lines are buffered for at most 50 ms; warnings
//! and errors, which include panics, are written immediately with all lines before them. No line is dropped:
//! a thread that fills the buffer writes it. Only a killed process loses its buffered lines.

use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// Size in bytes from which the buffer is full.
const FULL: usize = 64 * 1024;
/// Delay of a line; leaves half of the promised 100 ms to a busy machine.
const DELAY: Duration = Duration::from_millis(50);

/// Buffer in front of a stream.
#[derive(Debug)]
pub(super) struct LogBuffer<W> {
    lines: Mutex<Vec<u8>>,
    is_filled: Condvar,
    stream: Mutex<Stream<W>>,
}

/// Stream with the lines that are being written to it.
#[derive(Debug)]
struct Stream<W> {
    stream: W,
    taken: Vec<u8>,
}

impl<W: Write> LogBuffer<W> {
    pub(super) const fn new(stream: W) -> Self {
        Self {
            lines: Mutex::new(Vec::new()),
            is_filled: Condvar::new(),
            stream: Mutex::new(Stream { stream, taken: Vec::new() }),
        }
    }

    /// Writes the buffered lines. A stream that fails loses them, as there is no other place to report it.
    pub(super) fn flush(&self) {
        let mut stream = lock(&self.stream);
        let Stream { stream, taken } = &mut *stream;
        std::mem::swap(taken, &mut *lock(&self.lines));
        let _ = stream.write_all(taken);
        taken.clear();
    }

    /// Writes lines after their delay.
    pub(super) fn flush_regularly(&self) -> ! {
        loop {
            let lines = lock(&self.lines);
            drop(self.is_filled.wait_while(lines, |lines| lines.is_empty()));
            std::thread::sleep(DELAY);
            self.flush();
        }
    }

    fn append(&self, line: &[u8], is_urgent: bool) {
        let mut lines = lock(&self.lines);
        let is_first = lines.is_empty();
        lines.extend_from_slice(line);
        let is_full = lines.len() >= FULL;
        drop(lines);
        if is_urgent || is_full {
            self.flush();
        } else if is_first {
            self.is_filled.notify_one();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Appends the lines of one event.
#[derive(Debug)]
pub(super) struct LineWriter<'a, W> {
    buffer: &'a LogBuffer<W>,
    is_urgent: bool,
}

impl<W: Write> Write for LineWriter<'_, W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.buffer.append(line, self.is_urgent);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a, W: Write + 'a> MakeWriter<'a> for &'static LogBuffer<W> {
    type Writer = LineWriter<'a, W>;

    fn make_writer(&'a self) -> Self::Writer {
        LineWriter { buffer: self, is_urgent: true }
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> Self::Writer {
        LineWriter { buffer: self, is_urgent: *event.level() <= Level::WARN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
    use std::time::Instant;
    use tracing::subscriber::with_default;
    use tracing_subscriber::fmt;

    const PROMISED: Duration = Duration::from_millis(100);

    /// Stream that sends what is written, and waits for a permit before each write if it has any.
    struct Pipe {
        written: Sender<String>,
        permits: Option<Receiver<()>>,
    }

    impl Write for Pipe {
        fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
            if let Some(permits) = &self.permits {
                permits.recv().expect("a permit");
            }
            self.written.send(String::from_utf8(lines.to_vec()).expect("text")).expect("the test reads");
            Ok(lines.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn buffer(permits: Option<Receiver<()>>) -> (&'static LogBuffer<Pipe>, Receiver<String>) {
        let (written, lines) = channel();
        (Box::leak(Box::new(LogBuffer::new(Pipe { written, permits }))), lines)
    }

    /// Logs to the buffer while `task` runs.
    fn logging<T>(buffer: &'static LogBuffer<Pipe>, task: impl FnOnce() -> T) -> T {
        let format = fmt::format().without_time().with_target(false).with_ansi(false);
        with_default(fmt().event_format(format).with_writer(buffer).finish(), task)
    }

    #[test]
    fn a_line_is_written_within_100_ms() {
        let (buffer, written) = buffer(None);
        std::thread::spawn(|| buffer.flush_regularly());
        let delays = ["one", "two", "three", "four", "five"].map(|line| {
            let logged_at = Instant::now();
            logging(buffer, || tracing::info!("{line}"));
            assert_eq!(written.recv_timeout(Duration::from_secs(5)), Ok(format!(" INFO {line}\n")));
            logged_at.elapsed()
        });
        // A busy machine may wake the thread late, but not each time.
        assert!(delays.iter().any(|delay| *delay < PROMISED), "{delays:?}");
    }

    #[test]
    fn a_line_alone_is_not_written_by_the_thread_that_logs_it() {
        let (buffer, written) = buffer(None);
        logging(buffer, || tracing::info!("one"));
        assert_eq!(written.recv_timeout(Duration::ZERO), Err(RecvTimeoutError::Timeout));
    }

    #[test]
    fn warnings_and_errors_are_written_immediately_after_the_lines_before() {
        let (buffer, written) = buffer(None);
        logging(buffer, || {
            tracing::info!("one");
            tracing::warn!("two");
            tracing::error!("three");
        });
        let all: Vec<_> = written.try_iter().collect();
        assert_eq!(all, [" INFO one\n WARN two\n", "ERROR three\n"]);
    }

    #[test]
    fn a_stop_writes_the_buffered_lines_once() {
        let (buffer, written) = buffer(None);
        logging(buffer, || tracing::info!("one"));
        buffer.flush();
        buffer.flush();
        assert_eq!(written.try_iter().collect::<String>(), " INFO one\n");
    }

    #[test]
    fn a_full_buffer_is_written_by_the_thread_that_fills_it() {
        let (buffer, written) = buffer(None);
        let line = "x".repeat(FULL / 4);
        logging(buffer, || (0..4).for_each(|_| tracing::info!("{line}")));
        assert_eq!(written.try_iter().map(|lines| lines.len()).sum::<usize>(), (line.len() + 7) * 4);
        assert!(lock(&buffer.lines).is_empty());
    }

    /// Waits 100 ms, because no event shows that a blocked thread does not finish.
    #[test]
    fn a_blocked_stream_blocks_threads_once_the_buffer_is_full() {
        const LINES: usize = 40;
        let (permit, permits) = channel();
        let (buffer, written) = buffer(Some(permits));
        let logger = std::thread::spawn(move || {
            let line = "x".repeat(FULL / 4);
            logging(buffer, || (0..LINES).for_each(|number| tracing::info!("{number:03}{line}")));
            buffer.flush();
        });
        std::thread::sleep(PROMISED);
        assert!(!logger.is_finished() && lock(&buffer.lines).len() < FULL);
        // Every line of the test is in one of the writes, in order.
        (0..=LINES).for_each(|_| permit.send(()).expect("the stream waits"));
        logger.join().expect("no panic");
        let all: String = written.try_iter().collect();
        let numbers: Vec<_> = all.lines().filter_map(|line| line.get(6..9)?.parse::<usize>().ok()).collect();
        assert_eq!(numbers, (0..LINES).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_is_written_immediately_without_its_message() {
        let (buffer, written) = buffer(None);
        super::super::report_panic_place();
        logging(buffer, || {
            tracing::info!("one");
            let _ = std::panic::catch_unwind(|| panic!("71.5 kg"));
        });
        let _ = std::panic::take_hook();
        let all: String = written.try_iter().collect();
        assert!(all.starts_with(" INFO one\nERROR panic") && all.contains("log_buffer.rs"), "{all}");
        assert!(!all.contains("71.5"), "{all}");
    }
}
