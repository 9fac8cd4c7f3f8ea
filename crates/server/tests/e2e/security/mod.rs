//! Attacks and mistakes, against the running program: the rows of the security bar that need one.
