//! The one table of everything that has an address, and for whom it is.
//!
//! A path is registered with [`Endpoint::resource`] and in no other way (clippy.toml forbids the others), so that
//! none is served without a row. The tests of this module ask the whole application whether it serves each row,
//! with these methods and no others; those of the server send every kind of credential to each.

use super::audience::Audience::{
    self, AnyForm, Anybody, Client, Person, PersonsForm, Reader, ReaderOfAny, Writer,
};
use super::{page, path};
use crate::problem::Dialect;
use actix_web::{Resource, web};
use domain::scope::Scope;

/// What the table says about one path.
#[derive(Debug, Clone, Copy)]
pub struct EndpointRow {
    /// The path, as a pattern: `{user_id}` stands for any segment.
    pub path: &'static str,
    /// What happens there, for the reference.
    pub purpose: &'static str,
    /// For whom `GET` is; nothing where it is a 405.
    pub get: Option<Audience>,
    /// For whom `POST` is; nothing where it is a 405.
    pub post: Option<Audience>,
    /// For whom `PUT` is; nothing where it is a 405.
    pub put: Option<Audience>,
    /// For whom `DELETE` is; nothing where it is a 405.
    pub delete: Option<Audience>,
    /// How errors are told there.
    pub(crate) dialect: Dialect,
}

macro_rules! endpoints {
    ($($dialect:ident {
        $($name:ident => $path:expr, $purpose:literal $(, get: $get:expr)? $(, post: $post:expr)?
            $(, put: $put:expr)? $(, delete: $delete:expr)?;)+
    })+) => {
        /// Everything that has an address.
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
        Token => path::TOKEN, "Gives tokens for a code, for a refresh token, or to a service client", get: Client, post: Client;
        Refresh => path::REFRESH, "Gives an access token for a refresh token", get: Client, post: Client;
        Revoke => path::REVOKE, "Takes a token back", post: Client;
        Introspect => path::INTROSPECT, "Tells whether a token counts", post: Client;
    }
    Problem {
        Profile => "/api/v1/profile/{user_id}", "Reads the profile, and changes it", get: Reader(Scope::Profile), put: Writer(Scope::ProfileWrite);
        Sleep => "/api/v1/sleep/{user_id}", "Reads sleep sessions, and stores them", get: Reader(Scope::Sleep), post: Writer(Scope::SleepWrite);
        Supplements => "/api/v1/supplements/{user_id}", "Reads supplements and their intake", get: Reader(Scope::Supplements);
        Changes => "/api/v1/changes/{user_id}", "Reads what changed", get: ReaderOfAny;
        Users => "/api/v1/users", "Creates people", post: Writer(Scope::UsersWrite);
        SleepSession => "/api/v1/sleep/{user_id}/{session_id}", "Deletes a sleep session", delete: Writer(Scope::SleepWrite);
        Catalogue => "/api/v1/supplements", "Stores labels of supplements", post: Writer(Scope::SupplementsWrite);
        IntakeLogs => "/api/v1/supplements/{user_id}/logs", "Stores intake logs", post: Writer(Scope::SupplementsWrite);
        IntakeLog => "/api/v1/supplements/{user_id}/logs/{log_id}", "Deletes an intake log", delete: Writer(Scope::SupplementsWrite);
        Export => "/api/v1/export/{user_id}", "Reads everything that the token allows", get: ReaderOfAny;
        User => "/api/v1/users/{user_id}", "Erases a person", delete: Writer(Scope::UsersWrite);
        UnversionedProfile => "/api/profile/{user_id}", "The same, where links lead", get: Reader(Scope::Profile);
        UnversionedSleep => "/api/sleep/{user_id}", "The same, where links lead", get: Reader(Scope::Sleep);
        UnversionedSupplements => "/api/supplements/{user_id}", "The same, where links lead", get: Reader(Scope::Supplements);
    }
    Page {
        Authorize => page::AUTHORIZE, "Takes the request of an app in", get: Anybody;
        SignIn => page::SIGN_IN, "Signs a person in", get: Anybody, post: AnyForm;
        ForgotPassword => page::FORGOT_PASSWORD, "Sends a link to an address that has an account", get: Anybody, post: AnyForm;
        SignUp => page::SIGN_UP, "Sends a link to an address that wants an account", get: Anybody, post: AnyForm;
        SetPassword => page::SET_PASSWORD, "Sets the password of whoever has a link", get: Anybody, post: AnyForm;
        Consent => page::CONSENT, "Asks a person about an app, and takes the answer", get: Person, post: PersonsForm;
        Apps => page::APPS, "Shows which apps hold what", get: Person;
        DisconnectApps => page::DISCONNECT, "Disconnects one app, or all", post: PersonsForm;
        Tokens => page::TOKENS, "Shows personal access tokens, and makes one", get: Person, post: PersonsForm;
        RevokePersonalToken => page::REVOKE_TOKEN, "Revokes a personal access token", post: PersonsForm;
        Imports => page::IMPORTS, "Shows what was imported, and takes a file in", get: Person, post: PersonsForm;
        UndoImport => page::UNDO_IMPORT, "Takes an import back", post: PersonsForm;
        ApplyProfile => page::APPLY_PROFILE, "Applies profile values that an import proposed", post: PersonsForm;
        Import => "/imports/{import_id}", "Shows what an import did", get: Person;
        Activity => page::ACTIVITY, "Shows who read, changed or exported the data", get: Person;
        Account => page::ACCOUNT, "Shows the account and its browsers", get: Person;
        ChangePassword => page::CHANGE_PASSWORD, "Changes the password", post: PersonsForm;
        DownloadExport => page::DOWNLOAD, "Gives the person everything that is kept of them", post: PersonsForm;
        Erase => page::ERASE, "Asks whether everything is to be erased, and erases it", get: Person, post: PersonsForm;
        SignOut => page::SIGN_OUT, "Signs this browser out", post: PersonsForm;
        SignOutEverywhere => page::SIGN_OUT_EVERYWHERE, "Signs every browser out", post: PersonsForm;
    }
    Problem {
        StyleSheet => path::STYLE_SHEET, "What the pages look like", get: Anybody;
        Icon => path::ICON, "The icon of the pages", get: Anybody;
        Metadata => path::METADATA, "What the authorization server can do", get: Anybody;
        KeySet => path::KEY_SET, "The public keys of access tokens", get: Anybody;
        Live => path::LIVE, "Whether the process runs", get: Anybody;
        Ready => path::READY, "Whether the process can serve", get: Anybody;
        Errors => "/errors", "What each error code means", get: Anybody;
        Document => "/openapi.json", "The description of the interface", get: Anybody;
        Reference => path::REFERENCE, "The interactive reference", get: Anybody;
        ReferenceFolder => "/docs/", "Leads to the interactive reference", get: Anybody;
        ReferenceFile => "/docs/{file}", "What the interactive reference loads", get: Anybody;
    }
}

impl EndpointRow {
    /// Lists for whom each method is.
    pub const fn methods(&self) -> [(&'static str, Option<Audience>); 4] {
        [("GET", self.get), ("POST", self.post), ("PUT", self.put), ("DELETE", self.delete)]
    }

    /// Tells whether `HEAD` is served where `GET` is: for load balancers alone, that want no body (decisions 2 and 5).
    pub(crate) fn answers_head(&self) -> bool {
        matches!(self.path, path::LIVE | path::READY)
    }

    /// Returns whether the method is served.
    pub(crate) fn serves(&self, method: &str) -> bool {
        method == "HEAD" && self.answers_head()
            || self.methods().iter().any(|(name, audience)| *name == method && audience.is_some())
    }

    /// Returns whether a method takes bodies that are long, and longer to work on than any other request.
    pub(crate) fn takes_long(&self, method: &str) -> bool {
        self.methods().iter().any(|(name, audience)| {
            *name == method && *name != "DELETE" && matches!(audience, Some(Writer(_)))
        })
    }
}

impl Endpoint {
    /// Returns the path, as a pattern.
    pub const fn path(self) -> &'static str {
        self.row().path
    }

    /// Begins the registration of this endpoint; its handlers are still to be added.
    #[expect(clippy::disallowed_methods, reason = "the one place that registers a path: it has a row")]
    pub(crate) fn resource(self) -> Resource {
        web::resource(self.path())
    }
}
