//! A page that says one thing: mostly, what went wrong.

use askama::Template;

/// A page with a message. Nothing of the request is repeated in it (security.md T33).
#[derive(Clone, Template)]
#[template(path = "message.html")]
pub(crate) struct Message {
    /// What happened, in a few words; the heading and the title.
    pub(crate) title: String,
    /// What happened, in full sentences.
    pub(crate) text: String,
    /// What to do now.
    pub(crate) advice: Option<String>,
    /// Where to go on.
    pub(crate) link: Option<Link>,
    /// The id by which the operator finds the request in the log.
    pub(crate) request_id: Option<String>,
}

/// A link to a page of ours.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    /// The path.
    pub(crate) path: &'static str,
    /// What it says.
    pub(crate) text: &'static str,
}
