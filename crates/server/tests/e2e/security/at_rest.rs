//! Contents of a stolen database: addresses of people, and no usable secret.

use super::account::people::{OTHER_PASSWORD, PASSWORD, WRONG_PASSWORD, give_password};
use super::account::visit::{allow, fill, form_token, make_token, sign_in, try_to_sign_in};
use super::caller::{Caller, Form};
use super::dump::Dump;
use crate::e2e::app::{REDIRECT_URI, Registration, SCOPES, code, register, text};
use crate::e2e::browser::{Browser, VISIT};
use crate::e2e::operation::mail_server::{MailServer, Verdict, with_mail};
use crate::e2e::world::World;
use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const EMAIL: &str = "sleeper@example.org";

/// Creates an endpoint at a closed port, and returns its secret.
fn webhook_secret(world: &World, registration: &Registration) -> String {
    let create =
        ["webhook", "create", "--client", &registration.client_id, "--url", "http://127.0.0.1:9/", "--json"];
    text(&world.json(&create), "secret")
}

on_both_stores! {
    // T56
    async fn the_store_contains_no_usable_secret(world: World) {
        let registration = register(&world);
        let user = registration.user_id.as_str();
        let link = text(&world.json(&["user", "reset-password", user, "--json"]), "password_link");
        let (_, used_link) = link.split_once("link=").expect("link");
        // A mail server that asks for a retry: the message waits in the outbox.
        let mail = MailServer::start_at(0, Verdict::Later).await;
        let world = with_mail(world, mail.port);
        let mut server = world.serve();
        let browser = Browser::new(&server);
        let page = browser.get(&format!("/set-password?link={used_link}")).await;
        let reply = browser.submit(&fill(&page, "/set-password", &[("password", OTHER_PASSWORD)])).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        give_password(&world, user, PASSWORD);
        let before = form_token(&browser.get("/sign-in").await, "/sign-in");
        try_to_sign_in(&browser, EMAIL, WRONG_PASSWORD).await;
        sign_in(&browser, EMAIL, PASSWORD).await;
        let after = form_token(&browser.get("/account").await, "/account/password");
        let page = browser.get("/forgot-password").await;
        assert_eq!(browser.submit(&fill(&page, "/forgot-password", &[("email", EMAIL)])).await.status, 200);
        let message = mail.wait_for(1).await.remove(0);
        let caller = Caller::new(&server);
        let used_code = allow(&browser, &registration, &SCOPES).await;
        let tokens = caller.redeem(&registration, &used_code).await.tokens();
        let secrets = [
            webhook_secret(&world, &registration),
            PASSWORD.to_owned(),
            OTHER_PASSWORD.to_owned(),
            WRONG_PASSWORD.to_owned(),
            used_link.to_owned(),
            message.secret(),
            browser.session(),
            browser.cookie(VISIT).expect("visit"),
            before,
            after,
            make_token(&browser, "Notebook", "sleep").await,
            allow(&browser, &registration, &["sleep"]).await,
            used_code,
            caller.refresh(&registration, &tokens.refresh).await.access(),
            tokens.refresh,
            tokens.access,
            registration.client_secret.clone(),
            text(&world.json(&["client", "rotate-secret", &registration.client_id, "--json"]), "client_secret"),
        ];
        let while_running = Dump::new(&world);
        server.terminate();
        for dump in [while_running, Dump::new(&world)] {
            // Known values are found: the person, the name of the token, and the pending message.
            assert!([EMAIL, REDIRECT_URI, "Notebook", "outbox"].iter().all(|known| dump.holds(known)));
            for secret in &secrets {
                // Not only the whole secret: half of it must not be there either.
                let middle = secret.char_indices().nth(secret.chars().count() / 2).map_or(0, |(at, _)| at);
                let (front, back) = secret.split_at(middle);
                assert!([secret, front, back].iter().all(|part| !dump.holds(part)), "{secret} is in the store");
            }
            let prefixes = ["rwc_", "rwr_", "rwt_", "rws_", "rwk_", "rwp_", "rwe_", "rwv_", "rwl_", "rwb_", "rwa_", "rwn_"];
            let message = ["set-password?link", "Someone asked to reset the password", "Choose a new password"];
            for part in prefixes.iter().chain(&message) {
                assert!(!dump.holds(part), "{part} is in the store");
            }
            assert!(dump.holds("$argon2id$v=19$m=19456,t=2,p=1$"));
        }
    }

    // T56
    async fn a_private_signing_key_is_useless_without_the_key_file(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let key_set = caller.get("/.well-known/jwks.json", &Form(Vec::new())).await.json();
        let public = URL_SAFE_NO_PAD.decode(text(&key_set["keys"][0], "x")).expect("public key");
        let candidates = Dump::new(&world).possible_keys();
        assert!(candidates.contains(&public), "the search finds not even the public key");
        let opens = |seed: &&Vec<u8>| Ed25519KeyPair::from_seed_and_public_key(seed, &public).is_ok();
        assert_eq!(candidates.iter().filter(opens).count(), 0, "the private key lies in the store in clear");
    }
}
