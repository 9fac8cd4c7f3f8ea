//! Assets of the pages: one style sheet, one script and one icon.

use crate::view;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETag, EntityTag, Header as _, IfNoneMatch};
use actix_web::web::{ServiceConfig, get};
use actix_web::{HttpRequest, HttpResponse};
use http_adapter::Endpoint;

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::PasskeyScript.resource().route(get().to(passkey_script)))
        .service(Endpoint::StyleSheet.resource().route(get().to(style_sheet)))
        .service(Endpoint::Icon.resource().route(get().to(icon)));
}

pub(crate) async fn style_sheet(request: HttpRequest) -> HttpResponse {
    const TAG: u64 = fingerprint(view::STYLE_SHEET);
    asset(&request, "text/css; charset=utf-8", view::STYLE_SHEET, TAG)
}

pub(crate) async fn passkey_script(request: HttpRequest) -> HttpResponse {
    const TAG: u64 = fingerprint(view::PASSKEY_SCRIPT);
    asset(&request, "text/javascript; charset=utf-8", view::PASSKEY_SCRIPT, TAG)
}

pub(crate) async fn icon(request: HttpRequest) -> HttpResponse {
    const TAG: u64 = fingerprint(view::ICON);
    asset(&request, "image/svg+xml", view::ICON, TAG)
}

/// Returns an asset. The browser revalidates it each time, so that a page of a new version never has the old
/// style. The tag is weak: one text may be sent in several encodings.
fn asset(request: &HttpRequest, kind: &'static str, text: &'static str, tag: u64) -> HttpResponse {
    let tag = EntityTag::new_weak(format!("{tag:016x}"));
    let is_known = match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(&tag)),
        Err(_) => false,
    };
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header(ETag(tag)).insert_header((CACHE_CONTROL, "public, no-cache"));
    if is_known { response.finish() } else { response.insert_header((CONTENT_TYPE, kind)).body(text) }
}

/// 64-bit FNV-1a: it distinguishes versions of a file; collisions are not a security risk.
const fn fingerprint(text: &str) -> u64 {
    let (mut rest, mut hash) = (text.as_bytes(), 0xcbf2_9ce4_8422_2325_u64);
    while let [first, others @ ..] = rest {
        hash = (hash ^ *first as u64).wrapping_mul(0x0100_0000_01b3);
        rest = others;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::fingerprint;
    use crate::tests::TestResponse;
    use crate::tests::send;
    use actix_web::http::StatusCode;
    use actix_web::test::TestRequest;

    const ASSETS: [&str; 3] = ["/assets/pages.css", "/assets/passkeys.js", "/assets/icon.svg"];

    async fn ask(path: &str, known: Option<&str>) -> TestResponse {
        let request = TestRequest::get().uri(path);
        let request = match known {
            Some(known) => request.insert_header(("if-none-match", known)),
            None => request,
        };
        send(request).await
    }

    #[actix_web::test]
    async fn a_cached_asset_is_not_sent_again() {
        for path in ASSETS {
            let first = ask(path, None).await;
            assert_eq!(first.status, StatusCode::OK, "{path}");
            assert_eq!(first.header("cache-control"), Some("public, no-cache"), "{path}");
            let tag = first.header("etag").unwrap().to_owned();
            for known in [tag.clone(), format!("\"other\", {tag}"), tag.replace("W/", ""), "*".to_owned()] {
                let again = ask(path, Some(&known)).await;
                assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path} {known}");
                assert!(again.body.is_empty(), "{path}");
                assert_eq!(again.header("etag"), Some(tag.as_str()), "{path}");
                assert_eq!(again.header("cache-control"), Some("public, no-cache"), "{path}");
            }
        }
    }

    #[actix_web::test]
    async fn an_old_or_malformed_tag_gets_the_whole_asset() {
        for path in ASSETS {
            let whole = ask(path, None).await;
            for known in ["W/\"0000000000000000\"", "\"", "W/", ""] {
                let answer = ask(path, Some(known)).await;
                assert_eq!((answer.status, &answer.body), (StatusCode::OK, &whole.body), "{path} {known}");
            }
        }
    }

    #[test]
    fn fingerprints_match_the_fnv_1a_test_vectors() {
        // Test vectors of the draft that specifies it.
        assert_eq!(fingerprint(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fingerprint("foobar"), 0x8594_4171_f739_67e8);
    }
}
