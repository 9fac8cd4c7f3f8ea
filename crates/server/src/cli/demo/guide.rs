//! Introduction printed by the demo: its contents, and curl lines for the endpoints of apps.

use super::shell;
use application::demo::{DEMO_EMAIL, SeededDemo};
use domain::time::format;
use std::path::Path;
use url::form_urlencoded::byte_serialize;

/// Request for the tools of the MCP endpoint.
const LIST_TOOLS: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#;

/// Returns the text. Its lines work in sequence in one shell; the last ones contain the absolute path of this
/// store and this program.
pub(super) fn text(demo: &SeededDemo, password: &str, base: &str, store: &Path, program: &Path) -> String {
    let redirect: String = byte_serialize(demo.redirect_uri.as_bytes()).collect();
    [
        welcome(demo, password, base, &redirect),
        variables(demo, password, base),
        token_requests(demo, base, &redirect),
        data_requests(demo, base),
        server_requests(base),
        revocation(demo, base),
        commands(base, store, program),
    ]
    .join("\n")
}

/// Describes what to open in a browser.
fn welcome(demo: &SeededDemo, password: &str, base: &str, redirect: &str) -> String {
    let SeededDemo { client_id, redirect_uri, code_expires_at, scopes, .. } = demo;
    let expires = format::utc(*code_expires_at);
    format!(
        "\
Restwell is running at {base} with sample data. Stop it with Ctrl-C.

Sign in at {base}/sign-in as {DEMO_EMAIL} with the password {password}
Or start as an app would, with the consent page:
{base}/authorize?response_type=code&client_id={client_id}&redirect_uri={redirect}&scope=profile+sleep&state=demo
(It redirects to {redirect_uri}, where no server listens; the code is in the address bar.)

The person granted {scopes}. The code works once, until {expires}.
"
    )
}

/// Lists the values of the demo.
fn variables(demo: &SeededDemo, password: &str, base: &str) -> String {
    let SeededDemo { user_id, client_id, client_secret, redirect_uri, code, refresh_token, .. } = demo;
    let (secret, code, refresh) = (client_secret.expose(), code.expose(), refresh_token.expose());
    format!(
        "\
# Shell variables for your own requests; the commands below do not use them.
BASE={base}
USER_ID={user_id}
EMAIL={DEMO_EMAIL}
PASSWORD={password}
CLIENT_ID={client_id}
CLIENT_SECRET={secret}
REDIRECT_URI={redirect_uri}
CODE={code}
REFRESH_TOKEN={refresh}
"
    )
}

/// Obtains tokens and checks one.
fn token_requests(demo: &SeededDemo, base: &str, redirect: &str) -> String {
    let SeededDemo { user_id, client_id, client_secret, code, refresh_token, .. } = demo;
    let (secret, code, refresh) = (client_secret.expose(), code.expose(), refresh_token.expose());
    let credentials = format!("client_id={client_id}&client_secret={secret}");
    let refresh_url = format!("{base}/api/refresh?refresh_token={refresh}&{credentials}&user_id={user_id}");
    format!(
        "\
# Exchange the authorization code for an access token and a refresh token; the code works once.
curl '{base}/api/token?code={code}&{credentials}&redirect_uri={redirect}'

# Exchange the refresh token for a new access token.
curl '{refresh_url}'

# Save an access token for the commands below (valid for an hour).
TOKEN=$(curl -s '{refresh_url}' | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')

# Whether the access token is valid (introspection).
curl -u '{client_id}:{secret}' -d \"token=$TOKEN\" '{base}/oauth/introspect'
"
    )
}

/// Reads the person's data.
fn data_requests(demo: &SeededDemo, base: &str) -> String {
    let SeededDemo { user_id, .. } = demo;
    format!(
        "\
# The profile.
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/v1/profile/{user_id}'

# The three latest sleep sessions, with stages and metrics.
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/v1/sleep/{user_id}?pageSize=3&include_stages=true&include_metrics=true'

# Supplements and intakes, latest first.
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/v1/supplements/{user_id}'

# The first three changes; add the cursor of the response as a parameter for the next ones.
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/v1/changes/{user_id}?limit=3'

# An export of the profile as JSON lines; without types, of everything.
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/v1/export/{user_id}?types=profile'

# The paths without v1, where next_page and prev_page point.
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/profile/{user_id}'
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/sleep/{user_id}?page=2&pageSize=1'
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/supplements/{user_id}?pageSize=1'
"
    )
}

/// Describes the server.
fn server_requests(base: &str) -> String {
    format!(
        "\
# The server itself: liveness, readiness, metadata, public keys, OpenAPI document, error reference.
curl '{base}/livez'
curl '{base}/readyz'
curl '{base}/.well-known/oauth-authorization-server'
curl '{base}/.well-known/jwks.json'
curl '{base}/openapi.json'
curl -H 'Accept: text/markdown' '{base}/errors'

# The interactive reference; best viewed in a browser.
curl '{base}/docs'
"
    )
}

/// Revokes the refresh token. It is a comment, so that the other lines still work after pasting all of them.
fn revocation(demo: &SeededDemo, base: &str) -> String {
    let SeededDemo { client_id, client_secret, refresh_token, .. } = demo;
    let (secret, refresh) = (client_secret.expose(), refresh_token.expose());
    format!(
        "\
# Revoke the refresh token and its access tokens, such as $TOKEN. Remove the # to run it.
# curl -u '{client_id}:{secret}' -d 'token={refresh}' '{base}/oauth/revoke'
"
    )
}

/// Runs other commands, and creates a personal access token for the MCP endpoint.
fn commands(base: &str, store: &Path, program: &Path) -> String {
    let store = shell::quoted(&format!("sqlite://{}", store.display()));
    let program = shell::word(&program.display().to_string());
    format!(
        "\
# The other commands work on the same store while the demo runs.
export RESTWELL__STORAGE__URL={store}
{program} user list

# The endpoint of AI assistants (MCP), with a personal access token that is valid for a day.
PERSONAL_TOKEN=$({program} token create --user {DEMO_EMAIL} --scope sleep --name Demo --expires-in 1d | sed 's/^token: *//')
curl -H \"Authorization: Bearer $PERSONAL_TOKEN\" -H 'Content-Type: application/json' -d '{LIST_TOOLS}' '{base}/mcp'
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use domain::id::{ClientId, UserId};
    use domain::scope::ScopeSet;
    use domain::secret::{Secret, SecretBytes, SecretKind};
    use uuid::Uuid;

    fn demo() -> SeededDemo {
        let secret = |kind| Secret::from_bytes(kind, &SecretBytes::new([7; 32]));
        SeededDemo {
            user_id: UserId::from_uuid(Uuid::from_u128(1)),
            client_id: ClientId::from_uuid(Uuid::from_u128(2)),
            client_secret: secret(SecretKind::ClientSecret),
            redirect_uri: "http://localhost:9000/callback",
            code: secret(SecretKind::AuthorizationCode),
            code_expires_at: DateTime::UNIX_EPOCH,
            refresh_token: secret(SecretKind::RefreshToken),
            scopes: ScopeSet::CONSENTABLE,
        }
    }

    fn printed() -> String {
        let (store, program) = (Path::new("/tmp/demo/restwell.db"), Path::new("/opt/made up/restwell"));
        text(&demo(), "0123-4567-89ab-cdef-0123", "http://127.0.0.1:4321", store, program)
    }

    #[test]
    fn the_endpoints_of_apps_have_lines_that_can_be_pasted() {
        let text = printed();
        for path in [
            "/api/token?",
            "/api/refresh?",
            "/oauth/introspect'",
            "/oauth/revoke'",
            "/api/v1/profile/",
            "/api/v1/sleep/",
            "/api/v1/supplements/",
            "/api/v1/changes/",
            "/api/v1/export/",
            "/api/profile/",
            "/api/sleep/",
            "/api/supplements/",
            "/livez",
            "/readyz",
            "/.well-known/oauth-authorization-server",
            "/.well-known/jwks.json",
            "/openapi.json",
            "/errors",
            "/docs",
            "/mcp'",
        ] {
            assert!(
                text.lines()
                    .any(|line| line.contains("curl ")
                        && line.contains(&format!("http://127.0.0.1:4321{path}"))),
                "{path}"
            );
        }
        for line in text.lines().filter(|line| line.contains("curl ")) {
            assert_eq!(line.matches('\'').count() % 2, 0, "{line}");
        }
        assert!(text.contains("redirect_uri=http%3A%2F%2Flocalhost%3A9000%2Fcallback'"));
    }

    #[test]
    fn the_values_can_be_pasted_as_variables() {
        let text = printed();
        let names: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, _)| name)
            .filter(|name| name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_'))
            .collect();
        let expected = [
            "BASE",
            "USER_ID",
            "EMAIL",
            "PASSWORD",
            "CLIENT_ID",
            "CLIENT_SECRET",
            "REDIRECT_URI",
            "CODE",
            "REFRESH_TOKEN",
            "TOKEN",
            "PERSONAL_TOKEN",
        ];
        assert_eq!(names, expected);
        assert!(text.contains("\nREDIRECT_URI=http://localhost:9000/callback\n"), "{text}");
    }

    #[test]
    fn the_last_lines_name_the_store_and_the_program() {
        let text = printed();
        let lines = "export RESTWELL__STORAGE__URL='sqlite:///tmp/demo/restwell.db'\n'/opt/made up/restwell' user list\n";
        assert!(text.contains(lines), "{text}");
        assert!(
            text.contains("\nPERSONAL_TOKEN=$('/opt/made up/restwell' token create --user demo@example.org ")
        );
    }
}
