//! What views share. A view is a page as a value with text and a template.
//!
//! A view depends on no use case or clock: the handler passes texts and formatted times, and [`View::render`]
//! creates the HTML. The templates next to the views are checked against them at compile time. [`PageText`]
//! escapes every text; no template uses `safe`. `tests` renders each sample.

mod escape;
mod form_error;
mod part;
pub(crate) mod profile_field;
mod qr;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
mod time_zone;

pub(crate) use askama::Template as View;
pub(crate) use escape::PageText;
pub(crate) use form_error::{FormErrors, password_rule};
pub(crate) use part::{Moment, Person, ScopeLine, grouped, noun, readable};
pub(crate) use qr::QrCode;
pub(crate) use time_zone::regions;

use askama::Template;
use http_adapter::Endpoint;

/// Path of the style sheet, which every page loads.
pub(crate) const STYLE_SHEET_PATH: &str = Endpoint::StyleSheet.path();
/// Style sheet, `text/css`.
pub(crate) const STYLE_SHEET: &str = include_str!("../../assets/pages.css");
/// Path of the script for passkeys, which three pages load.
pub(crate) const PASSKEY_SCRIPT_PATH: &str = Endpoint::PasskeyScript.path();
/// Script for passkeys, `text/javascript`.
pub(crate) const PASSKEY_SCRIPT: &str = include_str!("../../assets/passkeys.js");
/// Path of the icon, which every page loads.
pub(crate) const ICON_PATH: &str = Endpoint::Icon.path();
/// Icon, `image/svg+xml`.
pub(crate) const ICON: &str = include_str!("../../assets/icon.svg");

/// Returns the `aria-current` of a link of the navigation that leads to `pages`, the first of which is the
/// link's own page; `None` if `here` is another page.
pub(crate) fn current(here: &str, pages: &str) -> Option<&'static str> {
    let position = pages.split(' ').position(|page| page == here)?;
    Some(if position == 0 { "page" } else { "true" })
}

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
