//! Examples, built from the response types.

use crate::data::dto::{
    ChangeDto, ChangedRecord, ChangesAnswer, IngredientDto, MetricDto, Number, PaginationDto, ProfileAnswer,
    ProfileDto, SleepAnswer, SleepSessionDto, StageDto, SupplementDetailsDto, SupplementDto,
    SupplementLogDto, SupplementsAnswer,
};
use crate::ingest::{ErasureAnswer, IngestAnswer};
use crate::metadata::MetadataBody;
use crate::problem::{Fault, FieldError, OAuthErrorBody, ProblemBody, RateLimitBody};
use crate::token::IntrospectionBody;
use application::demo::demo_user_id;
use application::import::ingest::{IngestReport, ItemResult, ItemStatus};
use application::import::ingest::{ItemCode, ItemRefusal};
use chrono::DateTime;
use domain::change::{ChangeCursor, ChangeKind, ChangePosition, UserFingerprint};
use domain::rate_limit::RateStatus;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::{Uuid, uuid};

/// Returns the person of all examples: the demo's, so that the interactive reference works there without
/// changes.
pub(crate) fn user_id() -> String {
    demo_user_id().to_string()
}

const PUBLIC_URL: &str = "http://127.0.0.1:8080";
const SESSION: &str = "9c3e5b1a-2f60-4d8e-8a47-51b0c6d7e8f9";
/// A deleted session.
const DELETED: Uuid = uuid!("0e8d4c2a-7b16-4f93-a5d0-c1e2f3041526");
const SUPPLEMENT: &str = "b1d7f0c2-94a3-4e56-8c1b-7a2f3e4d5c60";

fn value(example: impl Serialize) -> Value {
    serde_json::to_value(example).unwrap_or_default()
}

fn limit(limit: u32) -> RateLimitBody {
    RateLimitBody { limit, remaining: limit - 1, reset: 1_773_100_800 }
}

fn first_page(endpoint: &str, size: u16) -> PaginationDto {
    PaginationDto {
        current_page: 1,
        has_more: true,
        next_page: Some(format!("/api/{endpoint}/{}?page=2&pageSize={size}", user_id())),
        prev_page: None,
    }
}

pub(crate) fn profile() -> Value {
    value(ProfileAnswer {
        data: ProfileDto {
            user_id: user_id(),
            created_at: "2026-01-05T08:30:00Z".to_owned(),
            home_timezone: "America/New_York".to_owned(),
            scopes: vec!["profile", "sleep"],
            birth_date: Some("1990-05-17".to_owned()),
            biological_sex: Some("female"),
            blood_type: None,
            height_cm: Some(Number::Integer(172)),
            weight_kg: Some(Number::Real(64.5)),
            skin_type: Some(2),
            wheelchair_use: Some(false),
        },
        limit: limit(1_000),
    })
}

pub(crate) fn sleep() -> Value {
    value(SleepAnswer { data: vec![session()], pagination: first_page("sleep", 100), limit: limit(10_000) })
}

fn session() -> SleepSessionDto {
    SleepSessionDto {
        id: SESSION.to_owned(),
        time_in_bed_start: "2026-03-07T23:10:00-05:00".to_owned(),
        time_in_bed_end: "2026-03-08T07:02:30-04:00".to_owned(),
        sleep_metric: Some(vec![MetricDto {
            sleep_metric: "timeNightInBed",
            value: Number::Integer(24_750),
        }]),
        raw_sleep: Some(vec![StageDto {
            stage: "LIGHT",
            start: "2026-03-07T23:10:00-05:00".to_owned(),
            end: "2026-03-07T23:42:30-05:00".to_owned(),
        }]),
        source: Some("fitbit".to_owned()),
        is_nap: Some(false),
        updated_at: "2026-03-08T12:00:00Z".to_owned(),
    }
}

pub(crate) fn changes() -> Value {
    let change =
        |id: &str, op, record| ChangeDto { kind: ChangeKind::Sleep.as_str(), op, id: id.to_owned(), record };
    let position = ChangePosition { number: 42, kind: ChangeKind::Sleep, id: DELETED };
    let given_at = DateTime::from_timestamp(1_773_014_400, 0).unwrap_or_default();
    let user = UserFingerprint::new(demo_user_id());
    value(ChangesAnswer {
        data: vec![
            change(SESSION, ChangeDto::UPSERT, Some(ChangedRecord::Session(session()))),
            change(&DELETED.to_string(), ChangeDto::DELETE, None),
        ],
        cursor: ChangeCursor { after: Some(position), given_at, user }.to_string(),
        has_more: false,
        limit: limit(10_000),
    })
}

pub(crate) fn erasure() -> Value {
    let at = DateTime::from_timestamp(1_773_014_400, 0).unwrap_or_default();
    value(ErasureAnswer {
        erasure_id: DELETED.to_string(),
        erased_at: domain::time::format::utc(at),
        limit: limit(10_000),
    })
}

/// Returns the first line of an export.
pub(crate) fn export_line() -> String {
    let line =
        json!({"type": "profile", "user_id": demo_user_id().to_string(), "home_timezone": "Europe/Berlin"});
    format!("{line}\n")
}

pub(crate) fn ingest() -> Value {
    let taken = ItemResult::Taken { status: ItemStatus::Created, id: DELETED, detail: None };
    let refusal = ItemRefusal {
        code: ItemCode::MissingMember,
        field: Some("email"),
        detail: "missing field `email`".to_owned(),
    };
    let results = vec![taken, ItemResult::Rejected(refusal)];
    let report = IngestReport { results, created: 1, rejected: 1, ..IngestReport::default() };
    let rate = RateStatus { limit: 10_000, remaining: 9_999, reset: 1_773_100_800, allowed: true };
    value(IngestAnswer::new(&report, rate))
}

pub(crate) fn supplements() -> Value {
    value(SupplementsAnswer {
        data: vec![SupplementDto {
            id: SUPPLEMENT.to_owned(),
            details: SupplementDetailsDto {
                id: SUPPLEMENT.to_owned(),
                brand: "Harbour Health".to_owned(),
                name: "Magnesium Citrate".to_owned(),
                servings: "60".to_owned(),
                upc: "0 12345 67890 5".to_owned(),
                entry_date: "2024-02-01T00:00:00+00:00".to_owned(),
                supplement_ingredient: vec![IngredientDto {
                    quantity: Number::Integer(200),
                    unit: "milligrams".to_owned(),
                    active: true,
                    ingredient_name: "Magnesium".to_owned(),
                    order: 1,
                    amount_stated: true,
                }],
            },
            logs: vec![SupplementLogDto {
                id: "5d0c2a7e-1b3f-4968-a7d4-e6f8091b2c3d".to_owned(),
                created_at: "2026-03-08T07:30:00.000000+00:00".to_owned(),
                user_id: user_id(),
                supplement_id: SUPPLEMENT.to_owned(),
                servings: Number::Integer(1),
            }],
        }],
        pagination: first_page("supplements", 1_000),
        limit: limit(10_000),
    })
}

pub(crate) fn token() -> Value {
    json!({
        "access_token": "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl",
        "refresh_token": "rwr_made-up-for-this-page",
        "token_type": "Bearer",
        "expires_in": 3600,
        "scope": "profile sleep",
        "user_id": user_id(),
    })
}

pub(crate) fn refresh() -> Value {
    json!({
        "access_token": "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl",
        "expires_in": 3600,
        "token_type": "Bearer",
        "scope": "profile sleep",
        "user_id": user_id(),
    })
}

pub(crate) fn introspection() -> Value {
    value(IntrospectionBody {
        active: true,
        scope: Some("profile sleep".to_owned()),
        client_id: Some("c0d9e8f7-6a5b-4c3d-8e2f-1a0b9c8d7e6f".to_owned()),
        token_type: Some("Bearer"),
        exp: Some(1_773_104_400),
        iat: Some(1_773_100_800),
        sub: Some(user_id()),
        aud: Some(PUBLIC_URL.to_owned()),
        iss: Some(PUBLIC_URL.to_owned()),
        jti: Some("4e3d2c1b-0a9f-4e8d-b7c6-a5f4e3d2c1b0".to_owned()),
    })
}

pub(crate) fn metadata() -> Value {
    value(MetadataBody::of(PUBLIC_URL))
}

/// Returns a fault as `application/problem+json`.
pub(crate) fn problem(fault: Fault) -> Value {
    let row = fault.row();
    let errors: &[FieldError] = &[];
    value(ProblemBody {
        kind: format!("{PUBLIC_URL}/errors#{}", row.code),
        title: row.title,
        status: row.status,
        detail: row.meaning,
        code: row.code,
        request_id: "7d9f0b2c-4e61-4a83-b5c7-d8e9f0a1b2c3",
        errors,
        limit: (fault == Fault::RateLimited).then(|| RateLimitBody { remaining: 0, ..limit(10_000) }),
    })
}

/// Returns a fault in the format of the token endpoints.
pub(crate) fn oauth(fault: Fault) -> Value {
    let row = fault.row();
    value(OAuthErrorBody { error: row.oauth, error_description: row.meaning })
}

pub(crate) fn error_list() -> Value {
    let row = Fault::NotFound.row();
    json!({"errors": [{
        "code": row.code,
        "status": row.status,
        "oauth_error": null,
        "title": row.title,
        "meaning": row.meaning,
    }]})
}

pub(crate) fn readiness() -> Value {
    let checks =
        json!({"database": "ok", "schema": "ok", "keys": "ok", "clock": "ok", "writes": "ok", "drain": "ok"});
    json!({"status": "ok", "checks": checks})
}

pub(crate) fn key_set() -> Value {
    json!({"keys": [{
        "kty": "OKP",
        "crv": "Ed25519",
        "alg": "EdDSA",
        "use": "sig",
        "kid": "0a9b8c7d-6e5f-4a3b-9c2d-1e0f9a8b7c6d",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    }]})
}
