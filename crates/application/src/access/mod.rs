//! Access: may this token read this person's data here and now?

mod authorize_access;
mod authorize_ingest;
mod token_check;

pub use authorize_access::{
    AccessPorts, AuthorizeAccess, AuthorizeAccessError, AuthorizeAccessQuery, DailyLimits, GrantedAccess,
};
pub use authorize_ingest::*;
pub use token_check::*;

#[cfg(test)]
mod tests;
