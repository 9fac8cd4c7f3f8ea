//! A person's records as a zip archive of CSV files: [`ZipExport`] writes it as a stream, a file after the other, each
//! with its sizes behind it, so that neither a record nor the archive is held for longer than it takes to hand it on.

mod archive;
mod table;
#[cfg(test)]
mod tests;

pub use archive::ZipExport;
