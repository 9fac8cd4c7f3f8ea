//! What the demo tells a newcomer: what is there, and a curl line for every endpoint.

use application::demo::SeededDemo;
use domain::time::format;
use std::path::Path;
use url::form_urlencoded::byte_serialize;

/// Returns the text. Its curl lines work in their order in one shell.
pub(super) fn text(demo: &SeededDemo, base: &str, data_dir: &Path) -> String {
    let SeededDemo {
        user_id,
        client_id,
        client_secret,
        redirect_uri,
        code,
        code_expires_at,
        refresh_token,
        scopes,
    } = demo;
    let (secret, code, refresh) = (client_secret.expose(), code.expose(), refresh_token.expose());
    let redirect: String = byte_serialize(redirect_uri.as_bytes()).collect();
    let expires = format::utc(*code_expires_at);
    let store = data_dir.join("restwell.db");
    let store = store.display();
    format!(
        "\
Restwell is running on {base} with made-up data. Stop it with Ctrl-C.

  user_id        {user_id}
  client_id      {client_id}
  client_secret  {secret}
  redirect_uri   {redirect_uri}
  code           {code}  (once, until {expires})
  refresh_token  {refresh}
  scopes         {scopes}

# An authorization code becomes an access token and a refresh token; it works once.
curl '{base}/api/token?code={code}&client_id={client_id}&client_secret={secret}&redirect_uri={redirect}'

# A refresh token becomes a new access token.
curl '{base}/api/refresh?refresh_token={refresh}&client_id={client_id}&client_secret={secret}&user_id={user_id}'

# Keep an access token for the lines below (it lives an hour).
TOKEN=$(curl -s '{base}/api/refresh?refresh_token={refresh}&client_id={client_id}&client_secret={secret}&user_id={user_id}' | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')

# The profile.
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/v1/profile/{user_id}'

# The three latest sleep sessions, with stages and metrics.
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/v1/sleep/{user_id}?pageSize=3&include_stages=true&include_metrics=true'

# What the person took, latest first.
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/v1/supplements/{user_id}'

# The paths without v1, where next_page and prev_page point.
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/profile/{user_id}'
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/sleep/{user_id}?page=2&pageSize=1'
curl -H \"Authorization: Bearer $TOKEN\" '{base}/api/supplements/{user_id}?pageSize=1'

# The server itself: is it alive, is it ready, its public keys, its OpenAPI document, its error reference.
curl '{base}/livez'
curl '{base}/readyz'
curl '{base}/.well-known/jwks.json'
curl '{base}/openapi.json'
curl '{base}/errors'

# The interactive reference; better seen in a browser.
curl '{base}/docs'

# The other commands work on the same store while the demo runs.
export RESTWELL__STORAGE__URL='sqlite://{store}'
restwell user list
"
    )
}
