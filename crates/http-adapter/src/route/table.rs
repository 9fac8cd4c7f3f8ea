//! The table of endpoints and their audiences.
//!
//! A path is registered with [`Endpoint::resource`] only (clippy.toml forbids the other ways), so that none
//! is served without a row. Tests check that the application serves each row with exactly these methods, and
//! send every kind of credential to each.

use super::audience::Audience::{
    self, AnyForm, Anyone, Assistant, Client, Person, PersonsForm, PersonsKeptForm, Reader, ReaderOfAny,
    Writer,
};
use crate::problem::Dialect;
use actix_web::http::Method;
use domain::scope::Scope;

/// Path of an endpoint and the audiences of its methods.
#[derive(Debug, Clone, Copy)]
pub struct EndpointRow {
    /// Path pattern: `{user_id}` matches any segment.
    pub path: &'static str,
    /// What the endpoint does, for the reference.
    pub purpose: &'static str,
    /// Audience of `GET`; `None` if it is a 405.
    pub get: Option<Audience>,
    /// Audience of `POST`; `None` if it is a 405.
    pub post: Option<Audience>,
    /// Audience of `PUT`; `None` if it is a 405.
    pub put: Option<Audience>,
    /// Audience of `DELETE`; `None` if it is a 405.
    pub delete: Option<Audience>,
    /// Format of error responses.
    pub(crate) dialect: Dialect,
}

macro_rules! endpoints {
    ($($dialect:ident {
        $($name:ident => $path:expr, $purpose:literal $(, get: $get:expr)? $(, post: $post:expr)?
            $(, put: $put:expr)? $(, delete: $delete:expr)?;)+
    })+) => {
        /// Every endpoint.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Endpoint {
            $($(#[doc = $purpose] $name,)+)+
        }

        impl Endpoint {
            /// Every endpoint, in the order of the reference.
            pub const ALL: &'static [Self] = &[$($(Self::$name,)+)+];

            /// Returns the endpoint's row of the table.
            pub const fn row(self) -> EndpointRow {
                match self {
                    $($(Self::$name => EndpointRow {
                        path: $path,
                        purpose: $purpose,
                        get: endpoints!(@given $($get)?),
                        post: endpoints!(@given $($post)?),
                        put: endpoints!(@given $($put)?),
                        delete: endpoints!(@given $($delete)?),
                        dialect: Dialect::$dialect,
                    },)+)+
                }
            }
        }
    };
    (@given) => { None };
    (@given $audience:expr) => { Some($audience) };
}

endpoints! {
    OAuth {
        Token => "/api/token", "Issues tokens for a code, for a refresh token, or to a service client", get: Client, post: Client;
        Refresh => "/api/refresh", "Issues an access token for a refresh token", get: Client, post: Client;
        Revoke => "/oauth/revoke", "Revokes a token", post: Client;
        Introspect => "/oauth/introspect", "Returns whether a token is valid", post: Client;
    }
    Problem {
        Profile => "/api/v1/profile/{user_id}", "Reads or changes the profile", get: Reader(Scope::Profile), put: Writer(Scope::ProfileWrite);
        Sleep => "/api/v1/sleep/{user_id}", "Reads or stores sleep sessions", get: Reader(Scope::Sleep), post: Writer(Scope::SleepWrite);
        Supplements => "/api/v1/supplements/{user_id}", "Reads supplements and their intake", get: Reader(Scope::Supplements);
        Changes => "/api/v1/changes/{user_id}", "Reads what changed", get: ReaderOfAny;
        Users => "/api/v1/users", "Creates people", post: Writer(Scope::UsersWrite);
        SleepSession => "/api/v1/sleep/{user_id}/{session_id}", "Deletes a sleep session", delete: Writer(Scope::SleepWrite);
        Catalogue => "/api/v1/supplements", "Stores labels of supplements", post: Writer(Scope::SupplementsWrite);
        IntakeLogs => "/api/v1/supplements/{user_id}/logs", "Stores intake logs", post: Writer(Scope::SupplementsWrite);
        IntakeLog => "/api/v1/supplements/{user_id}/logs/{log_id}", "Deletes an intake log", delete: Writer(Scope::SupplementsWrite);
        Export => "/api/v1/export/{user_id}", "Exports everything that the token allows", get: ReaderOfAny;
        User => "/api/v1/users/{user_id}", "Erases a person", delete: Writer(Scope::UsersWrite);
        UnversionedProfile => "/api/profile/{user_id}", "Unversioned alias used by pagination links", get: Reader(Scope::Profile);
        UnversionedSleep => "/api/sleep/{user_id}", "Unversioned alias used by pagination links", get: Reader(Scope::Sleep);
        UnversionedSupplements => "/api/supplements/{user_id}", "Unversioned alias used by pagination links", get: Reader(Scope::Supplements);
    }
    JsonRpc {
        Mcp => "/mcp", "Serves AI assistants over the Model Context Protocol", post: Assistant;
    }
    Page {
        Home => "/", "Home of a signed-in person; otherwise the landing page", get: Anyone;
        Authorize => "/authorize", "Receives the authorization request of an app", get: Anyone;
        Help => "/help", "Help for users", get: Anyone;
        SignIn => "/sign-in", "Signs a person in", get: Anyone, post: AnyForm;
        SignInSecondStep => "/sign-in/second-factor", "Asks for the second factor of a sign-in", get: Anyone, post: AnyForm;
        ContinueForm => "/continue", "Shows a form that was kept while the person signed in", get: Person;
        ForgotPassword => "/forgot-password", "Sends a password link to an address that has an account", get: Anyone, post: AnyForm;
        SignUp => "/sign-up", "Sends a sign-up link to a new address", get: Anyone, post: AnyForm;
        SetPassword => "/set-password", "Sets the password with a link from an email", get: Anyone, post: AnyForm;
        Consent => "/consent", "Asks for consent to an app, and records the decision", get: Person, post: PersonsForm;
        Nights => "/nights", "Shows the nights of four weeks and of a year", get: Person;
        DeleteNight => "/nights/delete", "Deletes a night", post: PersonsForm;
        Night => "/nights/{night_id}", "Shows one night", get: Person;
        IntakePage => "/supplements", "Shows supplements and their intake", get: Person;
        AddIntake => "/supplements/add", "Logs an intake by hand", get: Person, post: PersonsKeptForm("adding a supplement");
        SearchSupplements => "/supplements/search", "Searches the catalogue and the person's products", post: PersonsForm;
        ChangeIntake => "/supplements/change", "Changes an intake that was entered by hand", get: Person, post: PersonsKeptForm("changing an intake");
        DeleteIntake => "/supplements/delete", "Deletes an intake that was entered by hand", post: PersonsForm;
        OwnProduct => "/supplements/product", "Creates or changes one of the person's products", get: Person, post: PersonsKeptForm("entering a product");
        DeleteOwnProduct => "/supplements/product/delete", "Deletes one of the person's products", post: PersonsForm;
        Apps => "/apps", "Lists connected apps", get: Person;
        DisconnectApps => "/apps/disconnect", "Disconnects one app, or all", post: PersonsForm;
        Tokens => "/tokens", "Lists personal access tokens, or creates one", get: Person, post: PersonsKeptForm("creating an access token");
        RevokePersonalToken => "/tokens/revoke", "Revokes a personal access token", post: PersonsForm;
        Developer => "/developer", "Lists the apps that the person registered, or registers one", get: Person, post: PersonsKeptForm("registering an app");
        ChangeApp => "/developer/change", "Changes an app that the person registered", post: PersonsKeptForm("changing an app");
        RotateOwnSecret => "/developer/rotate-secret", "Creates a secret for an app that the person registered", post: PersonsKeptForm("creating an app secret");
        RetireOwnSecret => "/developer/retire-secret", "Revokes a secret of an app that the person registered", post: PersonsForm;
        DeleteApp => "/developer/delete", "Deletes an app that the person registered", post: PersonsKeptForm("deleting an app");
        CreateOwnWebhook => "/developer/webhooks/create", "Creates a webhook endpoint for one of the person's apps", post: PersonsKeptForm("creating a webhook endpoint");
        TestOwnWebhook => "/developer/webhooks/test", "Sends a test event or a challenge to a webhook endpoint of one of the person's apps", post: PersonsForm;
        RotateOwnWebhook => "/developer/webhooks/rotate-secret", "Creates a secret for a webhook endpoint of one of the person's apps", post: PersonsKeptForm("creating a webhook secret");
        ReplayOwnWebhook => "/developer/webhooks/replay", "Resends events to a webhook endpoint of one of the person's apps", post: PersonsForm;
        DeleteOwnWebhook => "/developer/webhooks/delete", "Deletes a webhook endpoint of one of the person's apps", post: PersonsKeptForm("deleting a webhook endpoint");
        DeveloperWebhooks => "/developer/webhooks/{client_id}", "Lists the webhook endpoints of one of the person's apps", get: Person;
        CreateSandbox => "/developer/sandbox/create", "Creates sandbox people for the person", post: PersonsForm;
        EraseSandbox => "/developer/sandbox/erase", "Erases the sandbox people of the person", post: PersonsForm;
        CreateSandboxCode => "/developer/sandbox/code", "Creates a code for a sandbox person and one of the person's apps", post: PersonsForm;
        App => "/developer/{client_id}", "Shows an app that the person registered", get: Person;
        Imports => "/imports", "Lists imports, or uploads a file", get: Person, post: PersonsForm;
        UndoImport => "/imports/undo", "Undoes an import", post: PersonsForm;
        ApplyProfile => "/imports/profile", "Applies profile values that an import proposed", post: PersonsForm;
        Import => "/imports/{import_id}", "Shows one import", get: Person;
        Activity => "/activity", "Shows who read, changed or exported the data", get: Person;
        Account => "/account", "Shows the account and its signed-in browsers", get: Person;
        ChangeEmail => "/account/email", "Sends a link that confirms a new email address", get: Person, post: PersonsKeptForm("changing your email address");
        ConfirmEmail => "/confirm-email", "Confirms a new email address with a link from an email", get: Anyone, post: PersonsForm;
        ProfilePage => "/profile", "Shows the profile, and changes it after a preview", get: Person, post: PersonsKeptForm("changing your profile");
        ChangePassword => "/account/password", "Changes the password", post: PersonsForm;
        BeginPasskeySignIn => "/sign-in/passkey/begin", "Returns a challenge for a sign-in with a passkey", post: AnyForm;
        PasskeySignIn => "/sign-in/passkey", "Signs a person in with a passkey", post: AnyForm;
        BeginPasskey => "/account/passkeys/begin", "Returns a challenge for a new passkey", post: PersonsForm;
        AddPasskey => "/account/passkeys", "Adds a passkey", post: PersonsForm;
        RenamePasskey => "/account/passkeys/rename", "Renames a passkey", post: PersonsKeptForm("renaming a passkey");
        RemovePasskey => "/account/passkeys/remove", "Removes a passkey", post: PersonsForm;
        SecondFactor => "/account/second-factor", "Shows the second factor, or sets it up", get: Person, post: PersonsForm;
        TurnOffSecondFactor => "/account/second-factor/off", "Turns the second factor off", post: PersonsForm;
        RecoveryCodes => "/account/recovery-codes", "Replaces the recovery codes", post: PersonsForm;
        DownloadExport => "/account/export", "Downloads everything stored about the person", post: PersonsForm;
        Erase => "/account/erase", "Erases the account after a confirmation", get: Person, post: PersonsForm;
        SignOut => "/sign-out", "Signs this browser out", post: PersonsForm;
        SignOutBrowser => "/account/sign-out", "Signs another browser out", post: PersonsForm;
        SignOutOthers => "/account/sign-out-others", "Signs every other browser out", post: PersonsForm;
        SignOutEverywhere => "/account/sign-out-everywhere", "Signs every browser out", post: PersonsForm;
    }
    Problem {
        PasskeyScript => "/assets/passkeys.js", "Script of the pages that use passkeys", get: Anyone;
        StyleSheet => "/assets/pages.css", "Style sheet of the pages", get: Anyone;
        Icon => "/assets/icon.svg", "Icon of the pages", get: Anyone;
        Metadata => "/.well-known/oauth-authorization-server", "Metadata of the authorization server", get: Anyone;
        ApiResource => "/.well-known/oauth-protected-resource", "Metadata of the API as a protected resource", get: Anyone;
        McpResource => "/.well-known/oauth-protected-resource/mcp", "Metadata of `/mcp` as a protected resource", get: Anyone;
        KeySet => "/.well-known/jwks.json", "Public keys of access tokens", get: Anyone;
        Live => "/livez", "Whether the process is running", get: Anyone;
        Ready => "/readyz", "Whether the process can serve", get: Anyone;
        Errors => "/errors", "What each error code means", get: Anyone;
        Document => "/openapi.json", "The description of the API", get: Anyone;
        Reference => "/docs", "The interactive reference", get: Anyone;
        ReferenceFolder => "/docs/", "Redirects to the interactive reference", get: Anyone;
        ReferenceFile => "/docs/{file}", "Assets of the interactive reference", get: Anyone;
    }
}

impl EndpointRow {
    /// Lists the audience of each method.
    pub const fn methods(&self) -> [(&'static str, Option<Audience>); 4] {
        [("GET", self.get), ("POST", self.post), ("PUT", self.put), ("DELETE", self.delete)]
    }

    fn audience(&self, method: &Method) -> Option<Audience> {
        match *method {
            Method::GET => self.get,
            Method::POST => self.post,
            Method::PUT => self.put,
            Method::DELETE => self.delete,
            _ => None,
        }
    }
}

impl Endpoint {
    /// Returns the path, as a pattern.
    pub const fn path(self) -> &'static str {
        self.row().path
    }

    /// Returns the format of the endpoint's error responses.
    pub(crate) const fn dialect(self) -> Dialect {
        self.row().dialect
    }

    /// Returns whether this is a health check, which is answered under any load.
    pub(crate) const fn is_health(self) -> bool {
        matches!(self, Self::Live | Self::Ready)
    }

    /// Returns whether the method is served.
    pub(crate) fn serves(self, method: &Method) -> bool {
        self.row().audience(method).is_some() || self.serves_head() && *method == Method::HEAD
    }

    /// Returns whether `HEAD` is served: wherever `GET` is, unless that uses something up (decisions 2).
    pub const fn serves_head(self) -> bool {
        self.row().get.is_some()
            && !matches!(self, Self::Token | Self::Refresh | Self::Authorize | Self::ContinueForm)
    }

    /// Returns whether `GET` reads data with a token of the person.
    pub(crate) const fn reads_data(self) -> bool {
        matches!(self.row().get, Some(Reader(_) | ReaderOfAny))
    }

    /// Returns the endpoint with the metadata that this one's challenges refer to (RFC 9728 section 5.1).
    /// Those of the API stay as the contract has them.
    pub(crate) const fn resource_metadata(self) -> Option<Self> {
        match self {
            Self::Mcp => Some(Self::McpResource),
            _ => None,
        }
    }

    /// Returns whether the method stores items of a backend, which has a longer timeout.
    pub(crate) fn has_long_timeout(self, method: &Method) -> bool {
        *method != Method::DELETE && matches!(self.row().audience(method), Some(Writer(_)))
    }

    /// Returns what a form to the endpoint does, if it is kept while the person signs in again.
    pub const fn kept_form(self) -> Option<&'static str> {
        match self.row().post {
            Some(PersonsKeptForm(purpose)) => Some(purpose),
            _ => None,
        }
    }

    /// Returns whether the request uploads a file, which has a separate timeout.
    pub(crate) fn is_upload(self, method: &Method) -> bool {
        self == Self::Imports && *method == Method::POST
    }
}
