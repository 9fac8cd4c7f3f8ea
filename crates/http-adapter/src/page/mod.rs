//! The pages: where people sign in, decide what an app may read, and look after their account.
//!
//! Rendered here, on the server, from views ([`view`]) that hold text alone; no page has a script. A handler reads
//! the browser's cookies and the form, runs the use case, and answers with a page or a redirect. Every form carries
//! a token bound to the browser's cookie ([`form`]), and what goes wrong becomes a page of the one table of faults.

mod answer;
mod browser;
mod form;
#[expect(dead_code, unused_imports, reason = "the handlers come next")]
pub(crate) mod view;

pub(crate) use answer::write_policy;

/// Renders the page of something that went wrong.
pub(crate) fn problem_page(title: &str, detail: &str, request_id: &str) -> String {
    format!("{title} {detail} {request_id}")
}
