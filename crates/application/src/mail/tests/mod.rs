//! Tests of mail.
