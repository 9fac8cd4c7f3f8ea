//! Serves the document and the interactive reference, whose assets are built in: no page asks another host
//! for anything.

use crate::problem::{Fault, Problem};
use actix_web::http::header::{self, ContentType};
use actix_web::{HttpResponse, HttpResponseBuilder, web};
use std::sync::{Arc, LazyLock};
use utoipa_swagger_ui::SwaggerFile;

/// What the reference may load: itself. The user interface sets styles and shows images that it draws.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page. Its addresses are relative, so that it works behind a proxy that adds a prefix.
const PAGE: &str = "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>Restwell API</title>
<link rel=\"stylesheet\" href=\"docs/swagger-ui.css\">
<link rel=\"stylesheet\" href=\"docs/index.css\">
<link rel=\"icon\" type=\"image/png\" href=\"docs/favicon-32x32.png\">
</head>
<body>
<div id=\"swagger-ui\"></div>
<script src=\"docs/swagger-ui-bundle.js\"></script>
<script src=\"docs/restwell.js\"></script>
</body>
</html>
";

/// Starts the user interface without the top bar of the package's own initializer, which asks for another
/// document. The validator would be asked by the browser, with the address of this server.
const START: &str = "SwaggerUIBundle({
  url: \"openapi.json\",
  dom_id: \"#swagger-ui\",
  layout: \"BaseLayout\",
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: \"none\",
});
";

/// The name of [`START`].
pub(super) const START_FILE: &str = "restwell.js";

/// What the page loads of the package; nothing else of it is served.
pub(super) const PACKAGE_FILES: [&str; 4] =
    ["swagger-ui.css", "index.css", "swagger-ui-bundle.js", "favicon-32x32.png"];

/// The document never changes while the program runs.
static DOCUMENT: LazyLock<String> = LazyLock::new(super::openapi_json);

pub(super) async fn show_document() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(ContentType::json())
        .insert_header((header::CACHE_CONTROL, "public, max-age=300"))
        .body(DOCUMENT.as_str())
}

pub(super) async fn show_page() -> HttpResponse {
    page_headers().insert_header(ContentType::html()).body(PAGE)
}

pub(super) async fn redirect_to_page() -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((header::LOCATION, "../docs")).finish()
}

pub(super) async fn show_file(name: web::Path<String>) -> Result<HttpResponse, Problem> {
    if name.as_str() == START_FILE {
        return Ok(page_headers().content_type("text/javascript").body(START));
    }
    let known = PACKAGE_FILES.into_iter().find(|file| *file == name.as_str());
    let name = known.ok_or_else(|| Problem::new(Fault::NotFound))?;
    let file = utoipa_swagger_ui::serve(name, Arc::default())
        .map_err(|error| Problem::internal(error.to_string()))?;
    let SwaggerFile { bytes, content_type, .. } = file.ok_or_else(|| Problem::new(Fault::NotFound))?;
    Ok(page_headers().content_type(content_type).body(bytes.into_owned()))
}

fn page_headers() -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_FRAME_OPTIONS, "DENY"))
        .insert_header((header::CACHE_CONTROL, "public, max-age=3600"));
    response
}
