//! Formats of files that people upload.

/// A format of files that people upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadFormat {
    /// Manufacturer, app or standard.
    pub maker: &'static str,
    /// What a file is called, with its article: `an Oura file`.
    pub file: &'static str,
    /// How a person gets a file, step by step.
    pub steps: &'static [&'static str],
}

impl UploadFormat {
    /// Lists what people can upload: `an Apple Health export, a Fitbit file, ... or a hypnogram`.
    pub fn list(formats: &[Self]) -> String {
        let files: Vec<&str> = formats.iter().map(|format| format.file).collect();
        match files.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            _ => files.concat(),
        }
    }
}
