//! Cookies, with an http and an https public URL.

use crate::e2e::app::REDIRECT_URI;
use crate::e2e::browser::{Browser, KNOWN_BROWSER, Page, SESSION, SetCookie, VISIT};
use crate::e2e::security::auth_request::{allow, ask};
use crate::e2e::security::scene::Scene;
use crate::e2e::world::World;

const PUBLIC_URL: &str = "https://restwell.example";

on_sqlite! {
    // T31
    async fn with_an_https_public_url_the_cookies_are_bound_to_the_host_and_to_https(world: World) {
        let scene = Scene::new(with_https(world).await);
        let page = scene.browser.open("/sign-in").await;
        let visit = only_cookie(&page);
        assert_eq!(visit.name, format!("__Host-{VISIT}"));
        assert_eq!(visit.attributes, ["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=86400", "Secure"]);
        let form = scene.person.credentials(&page.form("/sign-in"));
        // The origin is that of the public URL, whatever the connection.
        let http = PUBLIC_URL.replace("https", "http");
        scene.browser.submit_with(&form, &[("origin", &http)]).await.assert_refused(403);
        scene.browser.submit_with(&form, &[("origin", &scene.server.base_url)]).await.assert_refused(403);
        let signed_in = scene.browser.submit_with(&form, &[("origin", PUBLIC_URL)]).await;
        let [session, known] = two_cookies(&signed_in);
        assert_eq!(known.name, format!("__Host-{KNOWN_BROWSER}"));
        assert_eq!(known.attributes, ["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=31536000", "Secure"]);
        assert_eq!(session.name, format!("__Host-{SESSION}"));
        assert_eq!(session.attributes, ["Path=/", "HttpOnly", "SameSite=Lax", "Secure"]);
        assert_eq!(signed_in.header("strict-transport-security"), Some("max-age=31536000"));
        assert!(scene.browser.is_signed_in().await);

        // Another site could set a cookie without the prefix, so it is ignored.
        let other = Browser::new(&scene.server);
        other.plant(SESSION, &session.value);
        assert!(!other.is_signed_in().await);
        // A repeated cookie is ambiguous.
        let path = "/account";
        let pair = format!("__Host-{SESSION}={}", session.value);
        let twice = Browser::new(&scene.server).get_with(path, &[("cookie", &format!("{pair}; {pair}"))]).await;
        assert_eq!(twice.own_location(), "/sign-in?to=account");

        // The complete flow of an app works as well.
        let consent = scene.browser.follow(&ask(&scene.browser, &scene.auth_request()).await).await;
        let answer = allow(&scene.browser, &consent, &["sleep"]).await.answer_to(REDIRECT_URI);
        assert_eq!(answer["iss"], PUBLIC_URL);
        let signed_out = scene.browser.submit(&scene.browser.open("/apps").await.form("/sign-out")).await;
        let cleared = signed_out.set_cookies();
        // The session and a kept form.
        assert_eq!(cleared.len(), 2, "{signed_out:?}");
        for cookie in cleared {
            assert_eq!(cookie.attributes, ["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=0", "Secure"]);
        }
    }
}

/// Sets an https public URL, and the encryption key that such a server requires.
async fn with_https(world: World) -> World {
    let key = world.ok(&["key", "generate"]);
    // The existing signing key is sealed with another key.
    world.execute("DELETE FROM signing_key").await;
    world.with("RESTWELL__SERVER__PUBLIC_URL", PUBLIC_URL).with("RESTWELL__KEYS__ENCRYPTION_KEY", key.trim())
}

#[track_caller]
fn only_cookie(page: &Page) -> SetCookie {
    let mut cookies = page.set_cookies();
    assert_eq!(cookies.len(), 1, "{page:?}");
    cookies.remove(0)
}

/// Returns the cookies of a sign-in: the session, and the one that outlives it.
#[track_caller]
fn two_cookies(page: &Page) -> [SetCookie; 2] {
    page.set_cookies().try_into().expect("two cookies")
}
