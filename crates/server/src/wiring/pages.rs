//! Services and use cases of the pages.

use super::Store;
use super::mail::MailParts;
use super::services::{
    imports, intakes, nights, passkeys, personal_tokens, profiles, second_factors, sessions, uploads,
};
use super::webhooks::{outbound_policy, webhooks};
use crate::settings::{PublicUrl, Settings};
use application::account::{
    ChangePassword, ChoosePassword, ChoosePasswordPorts, CompleteSignIn, ConfirmEmailChange,
    FindPasswordLink, FindPendingSignIn, KeptForms, LinkRequestPorts, RequestEmailChange,
    RequestPasswordReset, RequestSignUp, SecondStepPorts, SetUpSignIn, SignIn, SignInPorts,
};
use application::audit::{ListActivity, ListReads};
use application::authorization::{
    AuthorizationPorts, BeginAuthorization, DecideConsent, FindPendingApp, OpenConsent,
};
use application::connection::{DisconnectApps, ListConnectedApps};
use application::developer::{
    ChangeApp, DeleteApp, IssueSandboxCode, RegisterApp, RetireAppSecret, RotateAppSecret, ShowDeveloperApps,
};
use application::erasure::ErasePerson;
use application::mail::QueueMail;
use application::operator::IssueCode;
use application::passkey::Passkeys;
use application::ports::system::{
    Clock, Entropy, Fetcher, FormSealer, PasswordHasher, PasswordStrengthChecker, TotpSealer, WebhookSigner,
};
use application::sandbox::{CreateSandboxPeople, EraseSandboxPeople, ListSandboxPeople};
use application::second_factor::SecondFactors;
use application::webhook::Webhooks;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretKind};
use http_adapter::{ExportUseCases, HttpState};
use import_adapter::Format;
use outbound_adapter::MetadataReader;
use page_adapter::{DeveloperUseCases, PageState};
use std::sync::Arc;

/// Dependencies of the page use cases.
pub(super) struct PageParts<'a> {
    pub(super) store: &'a Store,
    pub(super) settings: &'a Settings,
    pub(super) public_url: &'a PublicUrl,
    pub(super) hasher: Arc<dyn PasswordHasher>,
    pub(super) strength_checker: Arc<dyn PasswordStrengthChecker>,
    pub(super) totp_sealer: Arc<dyn TotpSealer>,
    pub(super) form_sealer: Arc<dyn FormSealer>,
    pub(super) webhook_signer: Arc<dyn WebhookSigner>,
    pub(super) mail: Option<&'a MailParts>,
    pub(super) fetcher: Arc<dyn Fetcher>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
}

impl PageParts<'_> {
    /// Wires the use cases of the pages.
    pub(super) fn state(&self, http: Arc<HttpState>, export: Arc<ExportUseCases>) -> PageState {
        let Self { store, settings, public_url, form_sealer, clock, entropy, .. } = self;
        let (units, issuer) = (&store.units, public_url.to_string());
        let authorization = self.authorization();
        let limits = settings.accounts.sign_in_limits();
        let policy = SecondFactorPolicy::from(settings.accounts.second_factor);
        let (clock, entropy) = (|| clock.clone(), || entropy.clone());
        let (visits, now) = (entropy(), clock());
        PageState {
            http,
            visits: Arc::new(move || Secret::from_bytes(SecretKind::Visit, &visits.secret_bytes())),
            now: Arc::new(move || now.now()),
            kept_forms: KeptForms::new(form_sealer.clone()),
            profiles: profiles(store, self.audited()),
            intakes: intakes(store, self.audited()),
            begin_authorization: BeginAuthorization::new(authorization.clone(), issuer.clone())
                .with_anonymous_requests(settings.accounts.app_request_limit()),
            find_pending_app: self.find_pending_app(),
            open_consent: OpenConsent::new(authorization.clone(), issuer.clone()),
            decide_consent: DecideConsent::new(authorization, issuer),
            sign_in: SignIn::new(self.sign_in(), limits, policy),
            find_pending_sign_in: FindPendingSignIn::new(store.pending_sign_ins.clone(), clock()),
            complete_sign_in: CompleteSignIn::new(self.second_step(), limits, self.queue_mail()),
            set_up_sign_in: SetUpSignIn::new(self.second_step(), limits, self.queue_mail()),
            second_factors: self.second_factors(),
            sessions: sessions(store, self.audited(), settings),
            change_password: self.change_password(),
            find_password_link: FindPasswordLink::new(store.password_links.clone(), clock()),
            choose_password: self.choose_password(),
            request_password_reset: self.link_requests().map(RequestPasswordReset::new),
            request_sign_up: self.sign_up_requests().map(RequestSignUp::new),
            request_email_change: self.link_requests().map(RequestEmailChange::new),
            confirm_email_change: self.confirm_email_change(),
            nights: nights(store, self.audited()),
            list_connected_apps: ListConnectedApps::new(store.connected_apps.clone()),
            disconnect_apps: DisconnectApps::new(units.clone(), entropy(), clock()),
            personal_tokens: personal_tokens(store, self.audited()),
            developer: self.developer(),
            passkeys: self.passkeys(),
            list_activity: self.list_activity(),
            imports: imports(store, self.audited()),
            export,
            erase_person: ErasePerson::new(units.clone(), entropy(), clock()),
            upload_formats: Format::uploads(),
            uploads: uploads(self.audited(), settings),
        }
    }

    fn list_activity(&self) -> ListActivity {
        let Store { read_tallies, clients, personal_tokens, audit, .. } = self.store;
        let reads = ListReads::new(read_tallies.clone(), clients.clone(), personal_tokens.clone());
        ListActivity::new(reads, audit.clone())
    }

    fn find_pending_app(&self) -> FindPendingApp {
        let Store { authorization_requests, clients, .. } = self.store;
        FindPendingApp::new(authorization_requests.clone(), clients.clone(), self.clock.clone())
    }

    fn confirm_email_change(&self) -> ConfirmEmailChange {
        let Self { store, clock, entropy, .. } = self;
        ConfirmEmailChange::new(store.units.clone(), self.queue_mail(), entropy.clone(), clock.clone())
    }

    /// Returns the parts of sign-up; `None` if it is closed or no email is sent.
    fn sign_up_requests(&self) -> Option<LinkRequestPorts> {
        self.link_requests().filter(|_| self.settings.accounts.sign_up_open)
    }

    fn developer(&self) -> Option<DeveloperUseCases> {
        let (units, entropy, clock) =
            (|| self.store.units.clone(), || self.entropy.clone(), || self.clock.clone());
        self.settings.developers.self_service.then(|| DeveloperUseCases {
            own_apps: ShowDeveloperApps::new(
                self.store.clients.clone(),
                self.store.grants.clone(),
                self.store.client_usage.clone(),
                self.settings.rate_limits.daily_limits(),
                clock(),
            ),
            register: RegisterApp::new(units(), self.store.clients.clone(), entropy(), clock()),
            change: ChangeApp::new(units(), self.store.clients.clone(), entropy(), clock()),
            rotate_secret: RotateAppSecret::new(units(), entropy(), clock()),
            retire_secret: RetireAppSecret::new(units(), entropy(), clock()),
            delete: DeleteApp::new(units(), entropy(), clock()),
            webhooks: self.webhooks(),
            create_people: CreateSandboxPeople::new(units(), entropy(), clock()),
            list_people: ListSandboxPeople::new(self.store.sandbox.clone()),
            erase_people: EraseSandboxPeople::new(
                self.store.sandbox.clone(),
                ErasePerson::new(units(), entropy(), clock()),
            ),
            sandbox_code: IssueSandboxCode::new(
                self.store.clients.clone(),
                IssueCode::new(units(), entropy(), clock()),
                entropy(),
            ),
        })
    }

    fn webhooks(&self) -> Webhooks {
        let policy = outbound_policy(self.settings, self.public_url);
        webhooks(self.store, self.audited(), self.webhook_signer.clone(), policy)
    }

    fn audited(&self) -> application::store::Store {
        self.store.audited(&self.entropy, &self.clock)
    }

    fn passkeys(&self) -> Passkeys {
        passkeys(
            self.store,
            self.audited(),
            self.settings,
            self.public_url.relying_party(),
            self.queue_mail(),
        )
    }

    fn authorization(&self) -> AuthorizationPorts {
        AuthorizationPorts {
            clients: self.store.clients.clone(),
            apps: self.store.connected_apps.clone(),
            failures: self.store.failures.clone(),
            units: self.store.units.clone(),
            entropy: self.entropy.clone(),
            clock: self.clock.clone(),
            metadata: Arc::new(MetadataReader::new(self.fetcher.clone())),
            metadata_policy: Arc::new(self.settings.clients.metadata_policy()),
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

    fn second_step(&self) -> SecondStepPorts {
        SecondStepPorts {
            pending: self.store.pending_sign_ins.clone(),
            failures: self.store.failures.clone(),
            units: self.store.units.clone(),
            sealer: self.totp_sealer.clone(),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
        }
    }

    fn second_factors(&self) -> SecondFactors {
        let sealer = self.totp_sealer.clone();
        second_factors(self.store, self.audited(), self.settings, sealer, self.queue_mail())
    }

    fn change_password(&self) -> ChangePassword {
        let limits = self.settings.accounts.sign_in_limits();
        let policy = self.settings.accounts.second_factor.into();
        let checker = self.strength_checker.clone();
        ChangePassword::new(self.sign_in(), limits, checker, policy, self.queue_mail())
    }

    fn choose_password(&self) -> ChoosePassword {
        let ports = ChoosePasswordPorts {
            links: self.store.password_links.clone(),
            units: self.store.units.clone(),
            hasher: self.hasher.clone(),
            strength_checker: self.strength_checker.clone(),
            failures: self.store.failures.clone(),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
        };
        ChoosePassword::new(ports, self.settings.accounts.second_factor.into(), self.queue_mail())
    }

    /// Returns the parts of the use cases that email links; `None` if no email is sent.
    fn link_requests(&self) -> Option<LinkRequestPorts> {
        Some(LinkRequestPorts {
            units: self.store.units.clone(),
            failures: self.store.failures.clone(),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
            limits: self.settings.accounts.link_limits(),
            mail: self.queue_mail()?,
        })
    }

    fn queue_mail(&self) -> Option<QueueMail> {
        self.mail.map(|mail| mail.queue.clone())
    }
}
