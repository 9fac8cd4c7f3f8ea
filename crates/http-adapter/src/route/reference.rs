//! The authorization matrix, generated from the table.

use super::audience::{Audience, Credential, Outcome};
use super::table::Endpoint;
use domain::scope::Scope;
use std::fmt::Write as _;

const HEAD: &str = "# Authorization

Generated from the table of endpoints in the code by `restwell reference authorization`; do not edit. A path cannot be
served without a row in that table, and a test sends every credential below to every endpoint below, on both stores.

## Endpoints

`HEAD` is served wherever `GET` is, except at `/authorize`, `/api/token`, `/api/refresh` and `/continue`. Other methods
are a 405, other paths a 404, with any credential.

| endpoint | what it does | for |
|---|---|---|
";

const MATRIX: &str = "
## Credentials

Response of each audience's endpoints to each credential. `served` means that the request is processed; any other
response means that nothing was changed. The codes are those of [errors.md](errors.md); a page shows the text instead of
the code, and endpoints for clients return `invalid_parameter` as `invalid_request`.

";

/// One audience of each kind, in the order of the columns. The scope and the words have no effect.
const AUDIENCES: [Audience; 9] = [
    Audience::Anyone,
    Audience::Client,
    Audience::Reader(Scope::Profile),
    Audience::Assistant,
    Audience::Writer(Scope::ProfileWrite),
    Audience::AnyForm,
    Audience::Person,
    Audience::PersonsForm,
    Audience::PersonsKeptForm(""),
];

/// Renders the authorization matrix as Markdown: a row per endpoint and method, then a row per credential.
pub fn authorization_reference() -> String {
    let mut page = HEAD.to_owned();
    for endpoint in Endpoint::ALL {
        let row = endpoint.row();
        for (method, audience) in row.methods() {
            let Some(audience) = audience else { continue };
            // Writing into a String cannot fail.
            let _ = writeln!(page, "| `{method} {}` | {} | {} |", row.path, row.purpose, sentence(audience));
        }
    }
    page.push_str(MATRIX);
    let _ =
        writeln!(page, "| with |{} |", AUDIENCES.map(|audience| format!(" {}", title(audience))).join(" |"));
    let _ = writeln!(page, "|---|{}", "---|".repeat(AUDIENCES.len()));
    for credential in Credential::ALL {
        let cells = AUDIENCES.map(|audience| format!(" {}", cell(audience.outcome(credential))));
        let _ = writeln!(page, "| {} |{} |", credential.name(), cells.join(" |"));
    }
    page
}

/// Describes the audience of one endpoint.
fn sentence(audience: Audience) -> String {
    match audience {
        Audience::Reader(scope) => format!("tokens of the person with `{scope}`"),
        Audience::Writer(scope) => format!("tokens of service clients with `{scope}`"),
        Audience::ReaderOfAny => "tokens of the person with the scopes of the requested data".to_owned(),
        other => title(other).to_owned(),
    }
}

const fn title(audience: Audience) -> &'static str {
    match audience {
        Audience::Anyone => "anybody",
        Audience::Client => "clients",
        Audience::Reader(_) | Audience::ReaderOfAny => "tokens of the person",
        Audience::Assistant => "tokens of any person",
        Audience::Writer(_) => "tokens of service clients",
        Audience::AnyForm => "forms of any browser",
        Audience::Person => "signed-in browsers",
        Audience::PersonsForm => "forms of signed-in browsers",
        Audience::PersonsKeptForm(_) => "kept forms of signed-in browsers",
    }
}

fn cell(outcome: Outcome) -> String {
    match outcome {
        Outcome::Served => "served".to_owned(),
        Outcome::ToSignIn => "303 to `/sign-in`".to_owned(),
        Outcome::Refused(fault) => format!("{} `{}`", fault.row().status, fault.row().code),
    }
}
