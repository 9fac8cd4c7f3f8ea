//! Export formats.

domain::named_enum! {
    /// Export format.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ExportFormat {
        /// One JSON object per line; can be imported again.
        Ndjson = "ndjson",
        /// A zip archive of CSV files.
        Zip = "zip",
    }
}
