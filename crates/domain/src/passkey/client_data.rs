//! Client data (section 5.8.1): the browser's description of a ceremony.

/// Client data, parsed from JSON by an adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientData {
    /// `type`: which ceremony it is.
    pub kind: String,
    /// `challenge`, in base64url.
    pub challenge: String,
    /// `origin` of the page.
    pub origin: String,
    /// `crossOrigin`: whether the page was in a frame of another origin; absent means no.
    pub is_cross_origin: bool,
    /// Whether `topOrigin` is present, which only frames of another origin have.
    pub has_top_origin: bool,
}

impl ClientData {
    /// Maximum length of the JSON in bytes.
    pub const MAX_BYTES: usize = 4096;
}
