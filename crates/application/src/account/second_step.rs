//! Shared parts of the use cases that complete a sign-in.

use super::attempt_counters::second_step_counters;
use super::open_session::{ProvenPerson, end_pending, open_session};
use super::{FindPendingSignIn, SignInLimits, SignInOrigin, SignedIn};
use crate::attempt_limit::{AttemptRejected, count_attempt, from_attempt_rejected};
use crate::audit::append_refusal;
use crate::ports::storage::{
    FailureCounter, FailureKey, PendingSignInReader, StorageError, UnitOfWork, UnitOfWorkFactory,
};
use crate::ports::system::{Clock, Entropy, TotpSealer, TotpSealerError};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, UserId};
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use domain::secret::{Secret, SecretKind};
use domain::user::Email;
use std::sync::Arc;

/// Ports of the second step.
#[derive(Clone)]
pub struct SecondStepPorts {
    /// Reader of pending sign-ins.
    pub pending: Arc<dyn PendingSignInReader>,
    /// Attempt counters.
    pub failures: Arc<dyn FailureCounter>,
    /// Units of work that use up codes and open sessions.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Secrets and codes of authenticator apps.
    pub sealer: Arc<dyn TotpSealer>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Source of ids and secrets.
    pub entropy: Arc<dyn Entropy>,
}

/// Why a second step fails.
#[derive(Debug, thiserror::Error)]
pub enum SecondStepError {
    /// No sign-in is pending in this browser: it expired, was completed, or never began.
    #[error("no sign-in is pending in this browser")]
    NotPending,
    /// The code is malformed, wrong or was used before; the caller does not learn which.
    #[error("the code is wrong")]
    WrongCode,
    /// The form with the new secret expired; the page shows another one.
    #[error("the secret to set up has expired")]
    SetUpExpired,
    /// The limit of this account or of this address is reached. Nothing was checked.
    #[error("too many attempts")]
    TooManyAttempts {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

from_attempt_rejected!(SecondStepError, TooManyAttempts);

impl From<TotpSealerError> for SecondStepError {
    fn from(error: TotpSealerError) -> Self {
        Self::Storage(StorageError::Internal(Box::new(error)))
    }
}

/// A person who proved the password in one browser.
pub(super) struct WaitingPerson<'a> {
    pub(super) user_id: UserId,
    pub(super) step: SecondStep,
    pub(super) is_known_browser: bool,
    pub(super) origin: SignInOrigin<'a>,
}

/// Lets a sign-in wait for its second step, in place of the one that waits in this browser. Returns its new
/// cookie: cookies known before the password was proven do not continue the sign-in (security.md T105).
pub(super) async fn begin_second_step(
    unit: &mut dyn UnitOfWork,
    person: WaitingPerson<'_>,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<Secret, StorageError> {
    let WaitingPerson { user_id, step, is_known_browser, origin } = person;
    end_pending(unit, origin).await?;
    let cookie = Secret::from_bytes(SecretKind::PendingSignIn, &entropy.secret_bytes());
    let expires_at = clock.now() + step.lifetime();
    let pending = PendingSignIn { cookie_hash: cookie.hash(), user_id, step, is_known_browser, expires_at };
    unit.pending_sign_ins().insert(&pending).await?;
    Ok(cookie)
}

/// Finds the pending sign-in of a browser, applies the limits on guessing, and opens the session.
pub(super) struct SecondStepCheckpoint {
    ports: SecondStepPorts,
    find: FindPendingSignIn,
    limits: SignInLimits,
}

impl SecondStepCheckpoint {
    pub(super) fn new(ports: SecondStepPorts, limits: SignInLimits) -> Self {
        let find = FindPendingSignIn::new(ports.pending.clone(), ports.clock.clone());
        Self { ports, find, limits }
    }

    pub(super) const fn ports(&self) -> &SecondStepPorts {
        &self.ports
    }

    /// Returns the live pending sign-in of this browser if it waits for this step.
    pub(super) async fn pending(
        &self,
        origin: SignInOrigin<'_>,
        step: SecondStep,
    ) -> Result<PendingSignIn, SecondStepError> {
        let cookie = origin.pending.ok_or(SecondStepError::NotPending)?;
        let found = self.find.run(cookie).await?.map(|found| found.pending);
        found.filter(|pending| pending.step == step).ok_or(SecondStepError::NotPending)
    }

    /// Counts an attempt before it is checked: for the address, the account, and the account over a day. The
    /// limits are those of passwords, with separate counters.
    pub(super) async fn admit(
        &self,
        pending: &PendingSignIn,
        address: AddressBlock,
    ) -> Result<(), SecondStepError> {
        let now = self.ports.clock.now();
        let SignInLimits { per_account, per_account_and_day, per_address } = self.limits;
        let [account, account_and_day, of_address] = counters(pending, address);
        for (key, limit, is_of_account) in [
            (of_address, per_address, false),
            (account, per_account, true),
            (account_and_day, per_account_and_day, true),
        ] {
            let counted = count_attempt(self.ports.failures.as_ref(), key, limit, now).await;
            if let Err(AttemptRejected::TooMany { is_first: true, .. }) = counted {
                let event = self.event(AuditKind::SecondFactorLimited, address);
                let event = if is_of_account { event.user(pending.user_id) } else { event };
                append_refusal(self.ports.units.as_ref(), &event).await;
            }
            counted?;
        }
        Ok(())
    }

    /// Settles the counters after a correct code, like those of a correct password. An error is only logged:
    /// the person is signed in, and the windows end by themselves.
    pub(super) async fn settle(&self, pending: &PendingSignIn, address: AddressBlock) {
        let [account, account_and_day, of_address] = counters(pending, address);
        let failures = self.ports.failures.as_ref();
        let forgotten = failures.forget(&[account, account_and_day]).await;
        let uncounted = failures.uncount(&[of_address], self.ports.clock.now()).await;
        if let Err(error) = forgotten.and(uncounted) {
            tracing::warn!(user_id = %pending.user_id, %error, "could not reset the limits after a sign-in");
        }
    }

    /// Records a rejected code.
    pub(super) async fn note_refusal(&self, user_id: UserId, origin: SignInOrigin<'_>) {
        let event = self.event(AuditKind::SecondFactorRefused, AddressBlock::containing(origin.address));
        append_refusal(self.ports.units.as_ref(), &event.user(user_id).device(origin.device)).await;
    }

    /// Uses up the pending sign-in and opens the session. The caller has locked the user.
    pub(super) async fn complete(
        &self,
        unit: &mut dyn UnitOfWork,
        pending: &PendingSignIn,
        proven: ProvenPerson<'_>,
    ) -> Result<SignedIn, SecondStepError> {
        let consumed = unit.pending_sign_ins().consume(&pending.cookie_hash).await?;
        // Another sign-in in this browser, or a new password, may have ended this one.
        if consumed.as_ref() != Some(pending) {
            return Err(SecondStepError::NotPending);
        }
        let origin = SignInOrigin { pending: None, ..proven.origin };
        let proven = ProvenPerson { origin, ..proven };
        Ok(open_session(unit, proven, self.ports.clock.as_ref(), self.ports.entropy.as_ref()).await?)
    }

    pub(super) fn event(&self, kind: AuditKind, address: AddressBlock) -> AuditEvent {
        let id = AuditEventId::from_uuid(self.ports.entropy.uuid());
        AuditEvent::new(id, self.ports.clock.now(), kind, AuditActor::Person).from(address)
    }
}

fn counters(pending: &PendingSignIn, address: AddressBlock) -> [FailureKey; 3] {
    second_step_counters(pending.user_id, address, pending.is_known_browser)
}

/// Locks the user of a pending sign-in and returns their address; fails if they are locked or erased.
pub(super) async fn lock_user(unit: &mut dyn UnitOfWork, user_id: UserId) -> Result<Email, SecondStepError> {
    let user = unit.users().find(user_id).await?.filter(|user| user.status.is_active());
    user.map(|user| user.email).ok_or(SecondStepError::NotPending)
}
