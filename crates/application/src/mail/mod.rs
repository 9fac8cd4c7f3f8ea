//! Email: texts, outbox and delivery.
//!
//! A message is queued in the transaction of the change that it reports. It is encrypted, because it may
//! contain a one-time link, and sent later by [`DeliverMail`]: no page waits for a mail server or fails
//! because of it.

mod deliver_mail;
mod message;
mod public_links;
mod queue_mail;
mod send_test_mail;

pub use deliver_mail::*;
pub(crate) use message::*;
pub use public_links::*;
pub use queue_mail::*;
pub use send_test_mail::*;

#[cfg(test)]
mod tests;
