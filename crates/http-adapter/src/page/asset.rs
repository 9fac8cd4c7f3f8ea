//! What the pages load: one style sheet and one icon.

use super::view;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};

pub(super) async fn style_sheet() -> HttpResponse {
    asset("text/css; charset=utf-8", view::STYLE_SHEET)
}

pub(super) async fn icon() -> HttpResponse {
    asset("image/svg+xml", view::ICON)
}

fn asset(kind: &'static str, text: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, kind))
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .body(text)
}
