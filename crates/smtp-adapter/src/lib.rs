//! Mail by SMTP.
