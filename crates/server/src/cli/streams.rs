//! Standard streams of a command: those of the process, or buffers when it runs embedded.

use std::io::{self, BufRead, Cursor, IsTerminal as _, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

tokio::task_local! {
    static EMBEDDED: Streams;
}

/// Streams of an embedded command.
#[derive(Clone, Default)]
pub(crate) struct Streams {
    input: Vec<u8>,
    output: Buffer,
    errors: Buffer,
}

impl Streams {
    /// Creates streams with this standard input.
    pub(crate) fn with_input(input: Vec<u8>) -> Self {
        Self { input, ..Self::default() }
    }

    /// Runs a command with these streams instead of those of the process.
    pub(crate) async fn replacing<F: Future>(&self, command: F) -> F::Output {
        EMBEDDED.scope(self.clone(), command).await
    }

    /// Returns and clears what was written to standard output.
    pub(crate) fn take_output(&self) -> Vec<u8> {
        self.output.take()
    }

    /// Returns and clears what was written to standard error.
    pub(crate) fn take_errors(&self) -> Vec<u8> {
        self.errors.take()
    }
}

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn input() -> Box<dyn Read> {
    let embedded = EMBEDDED.try_with(|streams| Cursor::new(streams.input.clone()));
    embedded.map_or_else(|_| Box::new(io::stdin()) as Box<dyn Read>, |input| Box::new(input))
}

/// Returns the terminal to ask questions on; `None` if the command does not run on one.
pub(super) fn terminal() -> Option<impl BufRead> {
    let is_embedded = EMBEDDED.try_with(|_| ()).is_ok();
    let has_terminal = !is_embedded && io::stdin().is_terminal() && io::stderr().is_terminal();
    has_terminal.then(|| io::stdin().lock())
}

pub(super) fn output() -> Box<dyn Write> {
    let embedded = EMBEDDED.try_with(|streams| streams.output.clone());
    embedded.map_or_else(|_| Box::new(io::stdout()) as Box<dyn Write>, |output| Box::new(output))
}

pub(super) fn errors() -> Box<dyn Write> {
    let embedded = EMBEDDED.try_with(|streams| streams.errors.clone());
    embedded.map_or_else(|_| Box::new(io::stderr()) as Box<dyn Write>, |errors| Box::new(errors))
}
