//! Data of people in a stolen database: their addresses, and no usable secret.

use super::super::caller::Caller;
use super::super::dump::Dump;
use super::people::{OTHER_PASSWORD, PASSWORD, WRONG_PASSWORD, give_password};
use super::visit::{allow, fill, form_token, make_token, sign_in, try_to_sign_in};
use crate::e2e::app::{SCOPES, register, text};
use crate::e2e::browser::{Browser, VISIT};
use crate::e2e::operation::mail_server::{MailServer, Verdict, with_mail};
use crate::e2e::world::World;

const EMAIL: &str = "sleeper@example.org";

on_both_stores! {
    // T56
    async fn the_store_contains_no_password_and_no_secret_of_a_person(world: World) {
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
        let caller = Caller::of(&server);
        let used_code = allow(&browser, &registration, &SCOPES).await;
        let tokens = caller.redeem(&registration, &used_code).await.tokens();
        let secrets = [
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
            tokens.refresh,
            tokens.access,
            registration.client_secret.clone(),
        ];
        let while_running = Dump::of(&world);
        server.terminate();
        for dump in [while_running, Dump::of(&world)] {
            // Known values are found: the person, the name of the token, and the pending message.
            assert!(dump.holds(EMAIL) && dump.holds("Notebook") && dump.holds("outbox"));
            for secret in &secrets {
                // Not only the whole secret: half of it must not be there either.
                let middle = secret.char_indices().nth(secret.chars().count() / 2).map_or(0, |(at, _)| at);
                let (front, back) = secret.split_at(middle);
                assert!([secret, front, back].iter().all(|part| !dump.holds(part)), "{secret} is in the store");
            }
            for prefix in ["rwc_", "rwr_", "rws_", "rwp_", "rwe_", "rwv_", "rwl_", "rwb_"] {
                assert!(!dump.holds(prefix), "{prefix}");
            }
            for word in ["set-password?link", "Someone asked to reset the password", "Choose a new password"] {
                assert!(!dump.holds(word), "{word}: the message lies in the store in clear");
            }
            assert!(dump.holds("$argon2id$v=19$m=19456,t=2,p=1$"));
        }
    }
}
