//! A person's records as a zip archive of CSV files. [`ZipExport`] streams it file by file, with sizes after
//! each file, so that neither a record nor the archive is buffered as a whole.

mod archive;
mod table;
#[cfg(test)]
mod tests;

pub use archive::ZipExport;
