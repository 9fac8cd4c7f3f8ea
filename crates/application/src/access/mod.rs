//! Access: may this token read this person's data here and now?

mod authorize_access;

pub use authorize_access::*;

#[cfg(test)]
mod tests;
