//! Access: may this token read this person's data here and now?

mod authorize_access;
mod token_check;

pub use authorize_access::*;
pub use token_check::*;

#[cfg(test)]
mod tests;
