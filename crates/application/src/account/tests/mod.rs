//! Tests of accounts.

mod change_password;
mod choose_password;
mod double;
mod email_change;
mod guessing;
mod issue_password_link;
mod known_browser;
mod link_request;
mod new_password;
mod session;
mod set_password;
mod sign_in;
mod sign_in_refusal;
mod support;
