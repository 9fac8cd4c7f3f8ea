//! PKCE: one method, enforced once used, and required if the operator configures it.

use crate::e2e::app::{REDIRECT_URI, SCOPES};
use crate::e2e::security::auth_request::{AuthRequest, allow, ask, reach_consent};
use crate::e2e::security::caller::{Caller, Form, Reply};
use crate::e2e::security::scene::Scene;
use crate::e2e::world::World;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const VERIFIER: &str = "a-verifier-of-43-to-128-unreserved-characters";

on_sqlite! {
    // T41
    /// RFC 7636 section 4.6.
    async fn a_code_with_a_challenge_requires_its_verifier_by_every_transport(world: World) {
        let scene = Scene::new(world);
        let code = code_for(&scene, &with_challenge(&scene.auth_request())).await;
        let caller = Caller::new(&scene.server);
        let form = Form::of_code(&scene.app, &code);
        let (short, long) = ("a".repeat(42), "a".repeat(129));
        let other = VERIFIER.replace('a', "b");
        for verifier in [other.as_str(), &challenge(VERIFIER), &short, &long, &format!("{VERIFIER}="), "\u{e9}", "a b"] {
            let form = form.clone().with("code_verifier", verifier);
            for reply in [caller.get("/api/token", &form).await, caller.post("/api/token", &form).await] {
                assert_eq!(reply.member("error"), "invalid_grant", "{verifier}");
                reply.assert_error(400, "invalid_grant");
            }
        }
        caller.get("/api/token", &form).await.assert_error(400, "invalid_grant");
        caller.post("/api/token", &form).await.assert_error(400, "invalid_grant");
        // None of these attempts used up the code.
        caller.get("/api/token", &form.with("code_verifier", VERIFIER)).await.tokens();
    }

    /// RFC 7636 section 4.4.
    async fn neither_pages_nor_redirects_nor_the_code_contain_the_challenge(world: World) {
        let scene = Scene::new(world);
        let (asking, browser) = (with_challenge(&scene.auth_request()), &scene.browser);
        let to_sign_in = ask(browser, &asking).await;
        let sign_in = browser.follow(&to_sign_in).await;
        let to_consent = browser.submit(&scene.person.credentials(&sign_in.form("/sign-in"))).await;
        let consent = browser.follow(&to_consent).await;
        let to_app = allow(browser, &consent, &SCOPES).await;
        let code = to_app.answer_to(REDIRECT_URI)["code"].clone();
        for page in [to_sign_in, sign_in, to_consent, consent, to_app] {
            let mut headers = page.headers.values().map(|value| value.to_str().expect("ASCII"));
            let challenge = challenge(VERIFIER);
            assert!(!page.body.contains(&challenge) && !headers.any(|value| value.contains(&challenge)), "{page:?}");
        }
        // The challenge was stored.
        redeem(&scene, &code, None).await.assert_error(400, "invalid_grant");
        redeem(&scene, &code, Some(VERIFIER)).await.tokens();
    }

    // T43
    async fn the_contract_works_without_pkce_until_it_is_required(world: World) {
        let scene = Scene::new(world);
        let code = code_for(&scene, &scene.auth_request()).await;
        redeem(&scene, &code, None).await.tokens();
        scene.world.ok(&["client", "update", &scene.app.client_id, "--require-pkce", "true"]);
        assert_refused(&scene, &scene.auth_request()).await;
        let code = code_for(&scene, &with_challenge(&scene.auth_request())).await;
        redeem(&scene, &code, None).await.assert_error(400, "invalid_grant");
        redeem(&scene, &code, Some(VERIFIER)).await.tokens();
    }
}

fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()))
}

fn with_challenge(asking: &AuthRequest) -> AuthRequest {
    asking.with("code_challenge", &challenge(VERIFIER)).with("code_challenge_method", "S256")
}

async fn assert_refused(scene: &Scene, asking: &AuthRequest) {
    let answer = ask(&scene.browser, asking).await.answer_to(REDIRECT_URI);
    assert_eq!(answer["error"], "invalid_request", "{asking:?}");
}

async fn code_for(scene: &Scene, asking: &AuthRequest) -> String {
    let consent = reach_consent(&scene.browser, asking, &scene.person).await;
    allow(&scene.browser, &consent, &SCOPES).await.answer_to(REDIRECT_URI)["code"].clone()
}

async fn redeem(scene: &Scene, code: &str, verifier: Option<&str>) -> Reply {
    let form = Form::of_code(&scene.app, code);
    let form = verifier.map_or(form.clone(), |verifier| form.with("code_verifier", verifier));
    Caller::new(&scene.server).post("/api/token", &form).await
}
