//! Sends a test message.

use super::{PublicLinks, message};
use crate::ports::system::{MailProbe, MailProbeError, MailStep};
use derive_more::Constructor;
use domain::user::Email;
use std::sync::Arc;

/// Sends a test message immediately, without the outbox, so that the operator sees each step.
#[derive(Constructor)]
pub struct SendTestMail {
    probe: Arc<dyn MailProbe>,
    links: PublicLinks,
}

impl SendTestMail {
    /// Sends the message, and calls `completed` after each successful step.
    pub async fn run(
        &self,
        to: &Email,
        completed: &(dyn Fn(MailStep) + Send + Sync),
    ) -> Result<(), MailProbeError> {
        self.probe.send_in_steps(&message::test(to, &self.links), completed).await
    }

    /// Connects and signs in without sending a message, and calls `completed` after each successful step.
    pub async fn sign_in(&self, completed: &(dyn Fn(MailStep) + Send + Sync)) -> Result<(), MailProbeError> {
        self.probe.sign_in(completed).await
    }
}
