//! Captures the log of a test.
//!
//! All tests share one subscriber, installed before the first log line. With a subscriber per test, a
//! callsite that another thread registers at the same moment can be disabled for good.

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

/// Installs the subscriber, with every level enabled.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing_subscriber::fmt()
            .with_writer(|| LogCapture)
            .with_ansi(false)
            .with_max_level(tracing::Level::TRACE)
            .init();
    });
}

/// Returns everything that this thread logs, at every level, while the future runs.
pub(crate) async fn log_of(work: impl Future<Output = ()>) -> String {
    KEPT.set(Some(Vec::new()));
    work.await;
    String::from_utf8(KEPT.take().unwrap()).unwrap()
}
