//! How the paths refer to what the document defines once.

use utoipa::ToSchema;
use utoipa::openapi::{Ref, RefOr, Schema};

/// The name of the security scheme of the data endpoints.
pub(super) const BEARER: &str = "bearer";
/// The name of the security scheme of the token endpoints.
pub(super) const BASIC: &str = "basic";

/// Refers to the schema of a type.
pub(super) fn reference<T: ToSchema>() -> RefOr<Schema> {
    RefOr::Ref(Ref::from_schema_name(T::name()))
}
