//! Serves the document and the interactive reference. Its assets are built in: no page loads anything from
//! another host.

use crate::HttpState;
use crate::example::PUBLIC_URL;
use crate::problem::{Fault, Problem, ServerErrors};
use crate::route::Endpoint;
use actix_web::http::header::{self, ContentType};
use actix_web::{HttpResponse, HttpResponseBuilder, web};
use bytes::Bytes;
use std::io::{Cursor, Read as _};
use std::sync::LazyLock;
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;
use zip::result::ZipResult;

/// Content security policy of the reference: own files, and the styles and images that the user interface
/// generates.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page. Its addresses are relative, so that it works behind a proxy that adds a path prefix.
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

/// Starts the user interface, without the top bar of the package's initializer, which loads another document,
/// and without the validator, to which the browser would send the address of this server. The dialog for
/// credentials omits the authorization code flow, which would return to a page that is not served.
const START: &str = r##"const withoutCodeFlow = () => ({
  wrapComponents: {
    auths: (Dialog, { React }) => (props) => {
      const definitions = props.definitions.filter((scheme) => scheme.get("flow") !== "authorizationCode");
      return definitions.size > 0 ? React.createElement(Dialog, { ...props, definitions }) : null;
    },
  },
});
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  layout: "BaseLayout",
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: "none",
  plugins: [withoutCodeFlow],
});
"##;

/// File name of [`START`].
pub(super) const START_FILE: &str = "restwell.js";

/// Files of the package that the page loads, with their media types; no others are served.
pub(super) const PACKAGE_FILES: [(&str, &str); 4] = [
    ("swagger-ui.css", "text/css"),
    ("index.css", "text/css"),
    ("swagger-ui-bundle.js", "text/javascript"),
    ("favicon-32x32.png", "image/png"),
];

/// Contents of [`PACKAGE_FILES`].
static CONTENTS: LazyLock<ZipResult<[Bytes; 4]>> = LazyLock::new(|| {
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    // Named after the version.
    let folder = archive.by_index(0)?.name()?.into_owned();
    let mut contents = [const { Bytes::new() }; 4];
    for ((name, _), content) in PACKAGE_FILES.iter().zip(&mut contents) {
        let mut unpacked = Vec::new();
        archive.by_name(&format!("{folder}dist/{name}"))?.read_to_end(&mut unpacked)?;
        *content = unpacked.into();
    }
    Ok(contents)
});

/// The document with the public URL of the examples.
static DOCUMENT: LazyLock<String> = LazyLock::new(super::openapi_json);

/// This document
#[utoipa::path(
    get, path = Endpoint::Document.path(), tag = "server", operation_id = "readDocument",
    responses(
        (status = 200, description = "The document", body = Object, example = json!({"openapi": "3.1.0"})),
        ServerErrors,
    ),
)]
pub(super) async fn show_document(state: web::Data<HttpState>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(ContentType::json())
        .insert_header((header::CACHE_CONTROL, "public, max-age=300"))
        .body(DOCUMENT.replace(PUBLIC_URL, &state.settings.public_url))
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
    let contents = CONTENTS.as_ref().map_err(|error| Problem::internal(error.to_string()))?;
    let mut files = PACKAGE_FILES.iter().zip(contents);
    let ((_, media_type), content) =
        files.find(|((file, _), _)| file == name.as_ref()).ok_or_else(|| Problem::new(Fault::NotFound))?;
    Ok(page_headers().content_type(*media_type).body(content.clone()))
}

fn page_headers() -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_FRAME_OPTIONS, "DENY"))
        .insert_header((header::CACHE_CONTROL, "public, max-age=3600"));
    response
}
