//! Tests of accounts.

mod choose_password;
mod double;
mod guessing;
mod issue_password_link;
mod known_browser;
mod link_request;
mod new_password;
mod session;
mod sign_in_refusal;
mod support;
