//! Tests of email.

mod deliver_mail;
mod message;
mod queue_mail;
mod send_test_mail;
