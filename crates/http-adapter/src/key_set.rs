//! `/.well-known/jwks.json`: the public keys of access tokens (RFC 7517, RFC 8037).

use crate::example;
use crate::problem::ServerErrors;
use crate::route::Endpoint;
use crate::state::{ApiState, PublicKey};
use actix_web::http::header;
use actix_web::{HttpResponse, web};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{
    Array, ArrayBuilder, KnownFormat, ObjectBuilder, SchemaFormat, SchemaType, Type,
};

#[derive(Serialize, ToSchema)]
struct KeySetBody {
    #[schema(schema_with = keys)]
    keys: Vec<KeyBody>,
}

#[derive(Serialize)]
struct KeyBody {
    kty: &'static str,
    crv: &'static str,
    alg: &'static str,
    #[serde(rename = "use")]
    usage: &'static str,
    kid: String,
    x: String,
}

fn keys() -> Array {
    let string = || ObjectBuilder::new().schema_type(SchemaType::Type(Type::String));
    let fixed = |value: &str| string().enum_values(Some([value]));
    let key = ["kty", "crv", "alg", "use", "kid", "x"].into_iter().fold(
        ObjectBuilder::new()
            .property("kty", fixed("OKP"))
            .property("crv", fixed("Ed25519"))
            .property("alg", fixed("EdDSA"))
            .property("use", fixed("sig"))
            .property("kid", string().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid))))
            .property("x", string().description(Some("The public key, base64url (RFC 8037)."))),
        ObjectBuilder::required,
    );
    ArrayBuilder::new().items(key).build()
}

impl From<PublicKey> for KeyBody {
    fn from(PublicKey { id, public_key }: PublicKey) -> Self {
        Self {
            kty: "OKP",
            crv: "Ed25519",
            alg: "EdDSA",
            usage: "sig",
            kid: id.to_string(),
            x: URL_SAFE_NO_PAD.encode(public_key),
        }
    }
}

/// The public keys of access tokens (RFC 7517)
#[utoipa::path(
    get, path = Endpoint::KeySet.path(), tag = "server", operation_id = "readKeySet",
    responses(
        (
            status = 200,
            description = "The keys whose signatures are accepted",
            body = KeySetBody,
            example = example::key_set,
        ),
        ServerErrors,
    ),
)]
pub(crate) async fn show(state: web::Data<ApiState>) -> HttpResponse {
    // Cacheable for a minute only, so that clients see a new key soon.
    let keys = state.key_set.public_keys().into_iter().map(KeyBody::from).collect();
    HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "public, max-age=60")).json(KeySetBody { keys })
}
