//! Captures what a test logs.
//!
//! All tests of the process share one subscriber. With one per test, a callsite that two tests reach first at
//! the same time can stay disabled.

use std::cell::RefCell;
use std::io::Write;
use std::sync::Once;

thread_local! {
    static KEPT: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

struct LogCapture;

impl Write for LogCapture {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        KEPT.with_borrow_mut(|kept| kept.iter_mut().for_each(|kept| kept.extend_from_slice(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns what this crate logs on this thread while the future runs, one line per event.
pub(super) async fn log_of(work: impl Future<Output = ()>) -> Vec<String> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing_subscriber::fmt()
            .with_writer(|| LogCapture)
            .with_ansi(false)
            .without_time()
            .with_max_level(tracing::Level::DEBUG)
            .init();
    });
    KEPT.set(Some(Vec::new()));
    work.await;
    let kept = String::from_utf8(KEPT.take().unwrap()).unwrap();
    kept.lines().filter(|line| line.contains("postgres_adapter")).map(|line| line.trim().to_owned()).collect()
}
