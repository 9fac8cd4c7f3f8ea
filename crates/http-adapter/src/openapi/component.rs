//! What the document defines once: schemas and security schemes.

use super::schema::{BASIC, BEARER};
use super::{change, data, export, given_token, ingest, service, token};
use crate::data::dto::{
    ChangeDto, ChangedRecord, ChangesAnswer, IngredientDto, MetricDto, PaginationDto, ProfileAnswer,
    ProfileDto, SleepAnswer, SleepSessionDto, StageDto, SupplementDetailsDto, SupplementDto,
    SupplementLogDto, SupplementsAnswer,
};
use crate::ingest::{ErasureAnswer, IngestAnswer, ItemAnswer};
use crate::metadata::MetadataBody;
use crate::problem::{ErrorEntry, ErrorList, FieldError, OAuthErrorBody, ProblemBody, RateLimitBody};
use crate::token::{IntrospectionBody, RefreshBody, ServiceTokenBody, TokenBody};
use utoipa::openapi::schema::{Components, ComponentsBuilder};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

pub(super) fn components() -> Components {
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some("The access token of a token endpoint, in the header `Authorization` alone."));
    let basic = HttpBuilder::new().scheme(HttpAuthScheme::Basic).description(Some(
        "`client_id` and `client_secret`, form-encoded first (RFC 6749 section 2.3.1); instead of the \
        parameters of these names.",
    ));
    let groups = [
        &data::ERRORS,
        &change::ERRORS,
        &ingest::ERRORS,
        &ingest::DELETION_ERRORS,
        &export::ERASURE_ERRORS,
        &token::ERRORS,
        &given_token::REVOCATION_ERRORS,
        &given_token::INTROSPECTION_ERRORS,
        &service::ERRORS,
        &service::READINESS_ERRORS,
    ];
    groups
        .into_iter()
        .fold(ComponentsBuilder::new(), |components, group| group.define(components))
        .schema_from::<ProfileAnswer>()
        .schema_from::<ProfileDto>()
        .schema_from::<SleepAnswer>()
        .schema_from::<SleepSessionDto>()
        .schema_from::<MetricDto>()
        .schema_from::<StageDto>()
        .schema_from::<SupplementsAnswer>()
        .schema_from::<SupplementDto>()
        .schema_from::<SupplementDetailsDto>()
        .schema_from::<IngredientDto>()
        .schema_from::<SupplementLogDto>()
        .schema_from::<ChangesAnswer>()
        .schema_from::<ChangeDto>()
        .schema_from::<ChangedRecord>()
        .schema_from::<IngestAnswer<'static>>()
        .schema_from::<ItemAnswer<'static>>()
        .schema_from::<ErasureAnswer>()
        .schema_from::<PaginationDto>()
        .schema_from::<RateLimitBody>()
        .schema_from::<ProblemBody<'static>>()
        .schema_from::<FieldError>()
        .schema_from::<OAuthErrorBody<'static>>()
        .schema_from::<ErrorList>()
        .schema_from::<ErrorEntry>()
        .schema_from::<TokenBody>()
        .schema_from::<RefreshBody>()
        .schema_from::<ServiceTokenBody>()
        .schema_from::<IntrospectionBody>()
        .schema_from::<MetadataBody>()
        .security_scheme(BEARER, SecurityScheme::Http(bearer.build()))
        .security_scheme(BASIC, SecurityScheme::Http(basic.build()))
        .build()
}
