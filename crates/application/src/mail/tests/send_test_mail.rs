use crate::mail::{PublicLinks, SendTestMail};
use crate::ports::system::{Mail, MailProbe, MailProbeError, MailStep};
use async_trait::async_trait;
use domain::user::Email;
use std::sync::{Arc, Mutex};

/// A mail server that accepts everything up to the recipient.
#[derive(Default)]
struct Refusing(Mutex<Vec<Mail>>);

#[async_trait]
impl MailProbe for Refusing {
    async fn send_in_steps(
        &self,
        mail: &Mail,
        completed: &(dyn Fn(MailStep) + Send + Sync),
    ) -> Result<(), MailProbeError> {
        self.0.lock().unwrap().push(mail.clone());
        completed(MailStep::Connect);
        completed(MailStep::Sender);
        Err(MailProbeError("no such user".into()))
    }

    async fn sign_in(&self, completed: &(dyn Fn(MailStep) + Send + Sync)) -> Result<(), MailProbeError> {
        completed(MailStep::Connect);
        Err(MailProbeError("wrong password".into()))
    }
}

#[tokio::test]
async fn a_test_message_is_sent_immediately_and_each_step_is_reported() {
    let (probe, steps) = (Arc::new(Refusing::default()), Mutex::new(Vec::new()));
    let to = Email::parse("ada@example.org").unwrap();
    let test = SendTestMail::new(probe.clone(), PublicLinks::new("https://sleep.example.org"));
    let outcome = test.run(&to, &|step| steps.lock().unwrap().push(step)).await;
    assert_eq!(outcome.unwrap_err().0.to_string(), "no such user");
    assert_eq!(steps.into_inner().unwrap(), [MailStep::Connect, MailStep::Sender]);
    let sent = probe.0.lock().unwrap();
    let [mail] = sent.as_slice() else { panic!("one message") };
    assert!(mail.to == to && mail.text.contains("https://sleep.example.org"), "{}", mail.text);
}

#[tokio::test]
async fn a_sign_in_without_a_message_reports_its_steps() {
    let (probe, steps) = (Arc::new(Refusing::default()), Mutex::new(Vec::new()));
    let test = SendTestMail::new(probe.clone(), PublicLinks::new("https://sleep.example.org"));
    let outcome = test.sign_in(&|step| steps.lock().unwrap().push(step)).await;
    assert_eq!(outcome.unwrap_err().0.to_string(), "wrong password");
    assert_eq!(steps.into_inner().unwrap(), [MailStep::Connect]);
    assert!(probe.0.lock().unwrap().is_empty());
}
