//! Mail: what messages say, how they wait, how they are sent.
//!
//! A message is queued in the transaction of what it tells about, sealed because it may carry a one-time link, and
//! sent later by [`DeliverMail`]: a page neither waits for a mail server nor fails with it.

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
