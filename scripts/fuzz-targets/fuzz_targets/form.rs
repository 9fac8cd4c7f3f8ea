//! Forms are accepted only with the token of their cookie, once.
//! Their fields are those that an independent parser finds.
//!
//! The input is the body; `$T` is replaced by the valid token.
#![no_main]

use actix_web::FromRequest as _;
use actix_web::dev::Payload as Stream;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::test::TestRequest;
use actix_web::web::Payload;
use domain::form_token::FormToken;
use domain::secret::{Secret, SecretBytes, SecretKind};
use http_adapter::HttpSettings;
use http_adapter::problem::Problem;
use libfuzzer_sys::fuzz_target;
use page_adapter::test_support::SubmittedForm;
use tokio::runtime::{Builder, Runtime};
use url::form_urlencoded;

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().unwrap();
}

fn read(body: &[u8], cookie: &Secret) -> Result<SubmittedForm, Problem> {
    let request = TestRequest::post()
        .insert_header((CONTENT_TYPE, "application/x-www-form-urlencoded"))
        .set_payload(body.to_vec());
    let (request, mut stream): (_, Stream) = request.to_http_parts();
    RUNTIME.with(|runtime| {
        runtime.block_on(async {
            let payload = Payload::from_request(&request, &mut stream).await.unwrap();
            SubmittedForm::read(&request, payload, &HttpSettings::default(), cookie).await
        })
    })
}

fuzz_target!(|data: &[u8]| {
    let cookie = Secret::from_bytes(SecretKind::Visit, &SecretBytes::new([3; 32]));
    let other = Secret::from_bytes(SecretKind::Visit, &SecretBytes::new([4; 32]));
    let token = FormToken::derive(&cookie);
    let body = match std::str::from_utf8(data) {
        Ok(text) => text.replace("$T", token.expose()).into_bytes(),
        Err(_) => data.to_vec(),
    };
    let Ok(form) = read(&body, &cookie) else { return };
    assert!(read(&body, &other).is_err(), "a form of another browser");
    let pairs: Vec<_> = form_urlencoded::parse(&body).into_owned().collect();
    for (name, _) in pairs.iter().take(50) {
        let values: Vec<_> =
            pairs.iter().filter(|(other, _)| other == name).map(|(_, value)| value).collect();
        assert!(form.all(name).eq(values.iter().map(|value| value.as_str())));
        match form.find(name) {
            Ok(found) => assert!(values.len() == 1 && found.unwrap_or_default() == values[0]),
            Err(_) => assert!(values.len() > 1),
        }
        if let Ok(line) = form.line(name) {
            assert!(!line.chars().any(char::is_control));
        }
    }
    assert_eq!(form.find("form_token").ok().flatten(), Some(token.expose()));
});
