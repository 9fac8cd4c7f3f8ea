//! The second step of a sign-in: a code of the authenticator app, a recovery code, or setting up the second
//! factor that the operator requires.

use super::{PendingSignInWithEmail, SignIns};
use crate::attempt_limit::{AttemptRejected, count_attempt, from_attempt_rejected};
use crate::mail::recovery_code_used;
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::ports::system::{Clock, Entropy, TotpSealerError};
use crate::second_factor::{
    EnabledSecondFactor, SetUpError, accepted_step, report_turned_on, turn_on, verify_set_up,
};
use crate::session::second_step_counters;
use crate::session::{ProvenPerson, end_pending, open_session};
use crate::session::{SignInLimits, SignInOrigin, SignedIn, end_sign_ins};
use crate::store::transact;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use domain::second_factor::{RecoveryCode, TotpCode};
use domain::secret::{Secret, SecretKind};
use domain::session::AuthenticationMethod;
use domain::user::Email;
use std::net::IpAddr;

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

impl From<SetUpError> for SecondStepError {
    fn from(error: SetUpError) -> Self {
        match error {
            SetUpError::WrongCode => Self::WrongCode,
            SetUpError::Expired => Self::SetUpExpired,
        }
    }
}

/// A code as typed.
enum TypedCode {
    Totp(TotpCode),
    Recovery(RecoveryCode),
}

impl TypedCode {
    fn parse(text: &str) -> Option<Self> {
        TotpCode::parse(text).map(Self::Totp).or_else(|| RecoveryCode::parse(text).map(Self::Recovery))
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
    tx: &mut dyn UnitOfWork,
    person: WaitingPerson<'_>,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<Secret, StorageError> {
    let WaitingPerson { user_id, step, is_known_browser, origin } = person;
    end_pending(tx, origin).await?;
    let cookie = Secret::from_bytes(SecretKind::PendingSignIn, &entropy.secret_bytes());
    let expires_at = clock.now() + step.lifetime();
    let pending = PendingSignIn { cookie_hash: cookie.hash(), user_id, step, is_known_browser, expires_at };
    tx.pending_sign_ins().insert(&pending).await?;
    Ok(cookie)
}

impl SignIns {
    /// Returns the live pending sign-in of the browser with this cookie; `None` if there is none.
    pub async fn find_pending(
        &self,
        cookie: &Secret,
    ) -> Result<Option<PendingSignInWithEmail>, StorageError> {
        let found = self.pending.find_pending_sign_in(&cookie.hash()).await?;
        Ok(found.filter(|found| found.pending.is_live(self.checkpoint.store.now())))
    }

    /// Opens a session if the code is correct: of the authenticator app, or a recovery code. A wrong code
    /// leaves the sign-in pending.
    pub async fn complete(&self, origin: SignInOrigin<'_>, code: &str) -> Result<SignedIn, SecondStepError> {
        let pending = self.find_step(origin, SecondStep::Code).await?;
        self.admit(&pending, origin.address).await?;
        let outcome = match TypedCode::parse(code) {
            Some(code) => self.open_with_code(&pending, code, origin).await,
            None => Err(SecondStepError::WrongCode),
        };
        match &outcome {
            Ok(_) => self.reset_counters(&pending, origin.address).await,
            Err(SecondStepError::WrongCode) => {
                let event = self.event(AuditKind::SecondFactorRejected, origin.address);
                let event = event.user(pending.user_id).device(origin.device);
                self.checkpoint.store.record_rejection(&event).await;
            }
            Err(_) => {}
        }
        outcome
    }

    /// Turns on the second factor that the operator requires, and opens a session, if the code is correct.
    /// `enrolment` is the encrypted secret of the form. Returns the recovery codes, which are shown once.
    pub async fn set_up(
        &self,
        origin: SignInOrigin<'_>,
        enrolment: &str,
        code: &str,
    ) -> Result<EnabledSecondFactor, SecondStepError> {
        let pending = self.find_step(origin, SecondStep::SetUp).await?;
        let (user_id, now, sealer) =
            (pending.user_id, self.checkpoint.store.now(), self.totp_sealer.as_ref());
        let proof = verify_set_up(sealer, user_id, enrolment, code, now)?;
        transact!(self.checkpoint.store, |tx| {
            let email = tx.active_user(user_id).await?.ok_or(SecondStepError::NotPending)?.email;
            // Another sign-in with the same password may have set one up in the meantime.
            let has_factor = tx.second_factors().find(user_id).await?.is_some()
                || !tx.passkeys().list(user_id).await?.is_empty();
            if has_factor {
                return Err(SecondStepError::NotPending);
            }
            let method = AuthenticationMethod::PasswordAndTotp;
            let signed_in = self.open_pending(tx, &pending, method, origin).await?;
            // Sessions opened before the policy was enabled end here.
            end_sign_ins(tx, user_id, Some(signed_in.session.id)).await?;
            let totp = proof.totp(sealer.seal(user_id, &proof.secret)?, now);
            let codes = turn_on(tx, user_id, totp, self.checkpoint.store.entropy()).await?;
            let event = |kind| self.event(kind, origin.address).user(user_id);
            report_turned_on(tx, &email, self.mail.as_ref(), now, event).await?;
            Ok(EnabledSecondFactor { signed_in, codes })
        })
        .await
    }

    /// Returns the live pending sign-in of this browser if it waits for this step.
    async fn find_step(
        &self,
        origin: SignInOrigin<'_>,
        step: SecondStep,
    ) -> Result<PendingSignIn, SecondStepError> {
        let cookie = origin.pending.ok_or(SecondStepError::NotPending)?;
        let found = self.find_pending(cookie).await?.map(|found| found.pending);
        found.filter(|pending| pending.step == step).ok_or(SecondStepError::NotPending)
    }

    /// Counts an attempt before it is checked: for the address, the account, and the account over a day. The
    /// limits are those of passwords, with separate counters.
    async fn admit(&self, pending: &PendingSignIn, address: IpAddr) -> Result<(), SecondStepError> {
        let now = self.checkpoint.store.now();
        let SignInLimits { per_account, per_account_and_day, per_address } = self.checkpoint.limits;
        let [account, account_and_day, of_address] = second_step_counters(pending, address);
        for (key, limit, is_of_account) in [
            (of_address, per_address, false),
            (account, per_account, true),
            (account_and_day, per_account_and_day, true),
        ] {
            let counted = count_attempt(self.checkpoint.failures.as_ref(), key, limit, now).await;
            if let Err(AttemptRejected::TooMany { is_first: true, .. }) = counted {
                let event = self.event(AuditKind::SecondFactorLimited, address);
                let event = if is_of_account { event.user(pending.user_id) } else { event };
                self.checkpoint.store.record_rejection(&event).await;
            }
            counted?;
        }
        Ok(())
    }

    /// Resets the counters after a correct code, like those of a correct password. An error is only logged:
    /// the person is signed in, and the windows end by themselves.
    async fn reset_counters(&self, pending: &PendingSignIn, address: IpAddr) {
        let [account, account_and_day, of_address] = second_step_counters(pending, address);
        let failures = self.checkpoint.failures.as_ref();
        let forgotten = failures.forget(&[account, account_and_day]).await;
        let uncounted = failures.uncount(&[of_address], self.checkpoint.store.now()).await;
        if let Err(error) = forgotten.and(uncounted) {
            tracing::warn!(user_id = %pending.user_id, %error, "could not reset the limits after a sign-in");
        }
    }

    async fn open_with_code(
        &self,
        pending: &PendingSignIn,
        code: TypedCode,
        origin: SignInOrigin<'_>,
    ) -> Result<SignedIn, SecondStepError> {
        let user_id = pending.user_id;
        transact!(self.checkpoint.store, |tx| {
            let email = tx.active_user(user_id).await?.ok_or(SecondStepError::NotPending)?.email;
            let method = match code {
                TypedCode::Totp(code) => {
                    self.use_totp(tx, user_id, code).await?;
                    AuthenticationMethod::PasswordAndTotp
                }
                TypedCode::Recovery(code) => {
                    if !tx.second_factors().use_recovery_code(user_id, &code.hash(user_id)).await? {
                        return Err(SecondStepError::WrongCode);
                    }
                    self.report_recovery(tx, user_id, &email, origin.address).await?;
                    AuthenticationMethod::PasswordAndRecoveryCode
                }
            };
            self.open_pending(tx, pending, method, origin).await
        })
        .await
    }

    /// Uses up the step of a correct code. Only one of several concurrent uses of a code succeeds.
    async fn use_totp(
        &self,
        tx: &mut dyn UnitOfWork,
        user_id: UserId,
        code: TotpCode,
    ) -> Result<(), SecondStepError> {
        let sealer = self.totp_sealer.as_ref();
        let totp = tx.second_factors().find(user_id).await?.ok_or(SecondStepError::NotPending)?;
        let secret = sealer.open(user_id, &totp.secret)?;
        let step = accepted_step(sealer, &secret, code, self.checkpoint.store.now());
        let step = step.ok_or(SecondStepError::WrongCode)?;
        let is_first_use = tx.second_factors().use_step(user_id, step).await?;
        is_first_use.then_some(()).ok_or(SecondStepError::WrongCode)
    }

    /// Records and emails that a recovery code was used.
    async fn report_recovery(
        &self,
        tx: &mut dyn UnitOfWork,
        user_id: UserId,
        email: &Email,
        address: IpAddr,
    ) -> Result<(), StorageError> {
        let left = tx.second_factors().count_recovery_codes(user_id).await?;
        let event = self.event(AuditKind::RecoveryCodeUsed, address).user(user_id);
        tx.record(event.count(u64::from(left))).await?;
        if let Some(mail) = &self.mail {
            mail.run(tx, &recovery_code_used(email, mail.links(), left), self.checkpoint.store.now()).await?;
        }
        Ok(())
    }

    /// Uses up the pending sign-in and opens the session. The caller has locked the user.
    async fn open_pending(
        &self,
        tx: &mut dyn UnitOfWork,
        pending: &PendingSignIn,
        method: AuthenticationMethod,
        origin: SignInOrigin<'_>,
    ) -> Result<SignedIn, SecondStepError> {
        let consumed = tx.pending_sign_ins().consume(&pending.cookie_hash).await?;
        // Another sign-in in this browser, or a new password, may have ended this one.
        if consumed.as_ref() != Some(pending) {
            return Err(SecondStepError::NotPending);
        }
        let origin = SignInOrigin { pending: None, ..origin };
        let person = ProvenPerson { user_id: pending.user_id, method, origin };
        Ok(open_session(tx, person, self.checkpoint.store.clock(), self.checkpoint.store.entropy()).await?)
    }

    fn event(&self, kind: AuditKind, address: IpAddr) -> AuditEvent {
        self.checkpoint.store.event(AuditActor::Person, kind).from(address)
    }
}
