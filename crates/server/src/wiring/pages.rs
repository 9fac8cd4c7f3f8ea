//! Use cases of the pages: accounts, authorization, connected apps, tokens, activity.

use super::Store;
use super::mail::MailParts;
use crate::settings::{PublicUrl, Settings};
use application::account::{
    ChangePassword, ChoosePassword, ChoosePasswordPorts, EndSessions, FindPasswordLink, LinkRequestPorts,
    ListSessions, RequestPasswordReset, RequestSignUp, ResumeSession, SignIn, SignInPorts, SignOut,
};
use application::audit::{ListActivity, ListReads};
use application::authorization::{
    AuthorizationPorts, BeginAuthorization, DecideConsent, DescribeRequest, OpenConsent,
};
use application::connection::{DisconnectApps, ListConnectedApps};
use application::erasure::ErasePerson;
use application::import::{ApplyProfile, ListImports, UndoImport};
use application::mail::QueueMail;
use application::personal_token::{CreatePersonalToken, ListPersonalTokens, RevokePersonalToken};
use application::ports::system::{Clock, Entropy, PasswordHasher, PasswordJudge};
use application::upload::{AddPart, BeginUpload, DiscardUpload, FindImport, FinishUpload};
use domain::secret::{Secret, SecretKind};
use http_adapter::{ExportUseCases, HttpState};
use page_adapter::{PageState, UploadUseCases};
use std::sync::Arc;

/// Dependencies of the page use cases.
pub(super) struct PageParts<'a> {
    pub(super) store: &'a Store,
    pub(super) settings: &'a Settings,
    pub(super) public_url: &'a PublicUrl,
    pub(super) hasher: Arc<dyn PasswordHasher>,
    pub(super) judge: Arc<dyn PasswordJudge>,
    pub(super) mail: Option<&'a MailParts>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
}

impl PageParts<'_> {
    /// Wires the use cases of the pages.
    pub(super) fn state(&self, http: Arc<HttpState>, export: Arc<ExportUseCases>) -> PageState {
        let Self { store, settings, public_url, hasher: _, judge: _, mail: _, clock, entropy } = self;
        let (units, issuer) = (&store.units, public_url.to_string());
        let authorization = self.authorization();
        let lifetime = settings.sessions.lifetime();
        let (clock, entropy) = (|| clock.clone(), || entropy.clone());
        let visits = entropy();
        PageState {
            http,
            visits: Arc::new(move || Secret::from_bytes(SecretKind::Visit, &visits.secret_bytes())),
            begin_authorization: BeginAuthorization::new(authorization.clone(), issuer.clone())
                .with_anonymous_requests(settings.accounts.app_request_limit()),
            describe_request: DescribeRequest::new(
                store.authorization_requests.clone(),
                store.clients.clone(),
                clock(),
            ),
            open_consent: OpenConsent::new(authorization.clone(), issuer.clone()),
            decide_consent: DecideConsent::new(authorization, issuer),
            sign_in: SignIn::new(self.sign_in(), settings.accounts.sign_in_limits()),
            resume_session: ResumeSession::new(store.sessions.clone(), units.clone(), clock(), lifetime),
            sign_out: SignOut::new(units.clone(), entropy(), clock()),
            end_sessions: EndSessions::new(units.clone(), entropy(), clock()),
            list_sessions: ListSessions::new(store.sessions.clone(), clock(), lifetime),
            change_password: self.change_password(),
            find_password_link: FindPasswordLink::new(store.password_links.clone(), clock()),
            choose_password: self.choose_password(),
            request_password_reset: self.request_password_reset(),
            request_sign_up: self.request_sign_up(),
            list_connected_apps: ListConnectedApps::new(store.connected_apps.clone()),
            disconnect_apps: DisconnectApps::new(units.clone(), entropy(), clock()),
            create_personal_token: CreatePersonalToken::new(units.clone(), entropy(), clock()),
            list_personal_tokens: ListPersonalTokens::new(store.personal_tokens.clone(), clock()),
            revoke_personal_token: RevokePersonalToken::new(units.clone(), entropy(), clock()),
            list_activity: ListActivity::new(
                ListReads::new(
                    store.read_tallies.clone(),
                    store.clients.clone(),
                    store.personal_tokens.clone(),
                ),
                store.audit.clone(),
            ),
            list_imports: ListImports::new(store.imports.clone()),
            find_import: FindImport::new(store.imports.clone()),
            undo_import: UndoImport::new(units.clone(), store.imports.clone(), entropy(), clock()),
            apply_profile: ApplyProfile::new(units.clone(), store.profiles.clone(), entropy(), clock()),
            discard_upload: DiscardUpload::new(units.clone(), clock()),
            export,
            erase_person: ErasePerson::new(units.clone(), entropy(), clock()),
            uploads: self.uploads(),
        }
    }

    fn uploads(&self) -> Option<UploadUseCases> {
        let (units, limits) = (&self.store.units, self.settings.uploads.limits());
        self.settings.uploads.enabled.then(|| UploadUseCases {
            begin: BeginUpload::new(units.clone(), self.entropy.clone(), self.clock.clone(), limits),
            add_part: AddPart::new(units.clone(), self.clock.clone(), limits),
            finish: FinishUpload::new(units.clone(), self.clock.clone()),
        })
    }

    fn authorization(&self) -> AuthorizationPorts {
        AuthorizationPorts {
            clients: self.store.clients.clone(),
            apps: self.store.connected_apps.clone(),
            failures: self.store.failures.clone(),
            units: self.store.units.clone(),
            entropy: self.entropy.clone(),
            clock: self.clock.clone(),
        }
    }

    fn sign_in(&self) -> SignInPorts {
        SignInPorts {
            credentials: self.store.credentials.clone(),
            hasher: self.hasher.clone(),
            failures: self.store.failures.clone(),
            units: self.store.units.clone(),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
        }
    }

    fn change_password(&self) -> ChangePassword {
        let limits = self.settings.accounts.sign_in_limits();
        ChangePassword::new(self.sign_in(), limits, self.judge.clone(), self.queue_mail())
    }

    fn choose_password(&self) -> ChoosePassword {
        let ports = ChoosePasswordPorts {
            links: self.store.password_links.clone(),
            units: self.store.units.clone(),
            hasher: self.hasher.clone(),
            judge: self.judge.clone(),
            failures: self.store.failures.clone(),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
        };
        ChoosePassword::new(ports, self.queue_mail())
    }

    fn request_password_reset(&self) -> Option<RequestPasswordReset> {
        let mail = self.queue_mail()?;
        Some(RequestPasswordReset::new(self.link_requests(), self.settings.accounts.link_limits(), mail))
    }

    fn request_sign_up(&self) -> Option<RequestSignUp> {
        let mail = self.queue_mail().filter(|_| self.settings.accounts.sign_up_open)?;
        Some(RequestSignUp::new(self.link_requests(), self.settings.accounts.link_limits(), mail))
    }

    fn link_requests(&self) -> LinkRequestPorts {
        LinkRequestPorts {
            units: self.store.units.clone(),
            failures: self.store.failures.clone(),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
        }
    }

    fn queue_mail(&self) -> Option<QueueMail> {
        self.mail.map(|mail| mail.queue.clone())
    }
}
