//! Page with a message, usually an error.

use askama::Template;

/// Page with a message. It contains no input of the request (security.md T33).
#[derive(Clone, Copy, Template)]
#[template(path = "view/message.html")]
pub(crate) struct Message<'a> {
    /// Heading and title.
    pub(crate) title: &'a str,
    /// Message in full sentences.
    pub(crate) text: &'a str,
    pub(crate) advice: Option<&'a str>,
    /// Link to the next page.
    pub(crate) link: Option<Link>,
    /// Id of the request in the operator's log.
    pub(crate) request_id: Option<&'a str>,
    /// Email address or URL of the operator, if published.
    pub(crate) contact: Option<&'a str>,
}

/// Link to a page of the server.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    pub(crate) path: &'static str,
    /// Text of the link.
    pub(crate) text: &'static str,
}
