//! How the program's file is linked.

#![expect(clippy::disallowed_methods, reason = "Cargo tells a build script its target in the environment")]

use std::env;
use std::process::Command;

/// The first glibc whose loader reads packed relocations. In musl as Rust ships it they are read, too.
const FIRST_GLIBC: (u32, u32) = (2, 36);

/// Asks for packed relocations: 50 kB in place of 1.8 MB that are read, and kept in memory, at each start (ADR 50).
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") && are_read() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Tells whether the loader of the target reads them. Whoever builds for another machine says nothing of its glibc.
fn are_read() -> bool {
    let is_native = env::var("HOST") == env::var("TARGET");
    match env::var("CARGO_CFG_TARGET_ENV").as_deref() {
        Ok("musl") => true,
        Ok("gnu") => is_native && glibc().is_some_and(|version| version >= FIRST_GLIBC),
        _ => false,
    }
}

/// Asks this machine, which answers like `glibc 2.36`.
fn glibc() -> Option<(u32, u32)> {
    let answer = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let answer = String::from_utf8(answer.stdout).ok()?;
    let (major, minor) = answer.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
