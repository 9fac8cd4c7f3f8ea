//! Samples of messages and of the reference of error codes.

use super::view::Errors;
use crate::view::sample::{Sample, TextSource, sample};
use crate::view::{Link, Message};
use http_adapter::problem::ErrorEntry;
use http_adapter::problem::Fault;

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let advice = source("Open the page again and repeat what you did.");
    let request_id = source("00000000-0000-4000-8000-0000000000aa");
    let contact = source("help@example.org");
    let full = Message {
        title: &source("The form came from somewhere else"),
        text: &source("This page was open for too long, or another site sent it. Nothing was changed."),
        advice: Some(&advice),
        link: Some(Link { path: "/apps", text: "Your apps" }),
        request_id: Some(&request_id),
        contact: Some(&contact),
    };
    let bare = Message { advice: None, link: None, request_id: None, contact: None, ..full };
    let errors = [Fault::InvalidRequest, Fault::NotFound].map(|fault| ErrorEntry::from(fault.row()));
    vec![
        sample("errors", &Errors { errors: errors.to_vec() }),
        sample("message", &full),
        sample("message_bare", &bare),
    ]
}
