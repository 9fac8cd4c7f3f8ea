//! Linking options of the program.

#![expect(clippy::disallowed_methods, reason = "Cargo passes the target in the environment")]

use std::env;
use std::process::Command;

/// First glibc whose loader supports packed relocations. The loader of musl that ships with Rust supports
/// them, too.
const FIRST_GLIBC: (u32, u32) = (2, 36);

/// Folder of `libmemory.a`, whose memory functions, such as `memcpy`, replace those of musl (ADR 76).
const MEMORY_FUNCTIONS: &str = "RESTWELL_MEMORY_FUNCTIONS";

/// Enables packed relocations: 50 kB instead of 1.8 MB that each start reads and keeps in memory (ADR 50).
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={MEMORY_FUNCTIONS}");
    if let Ok(folder) = env::var(MEMORY_FUNCTIONS) {
        println!("cargo::rustc-link-search=native={folder}");
        println!("cargo::rustc-link-lib=static:+whole-archive=memory");
    }
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") && are_read() {
        // As two arguments, which compilers pass on and linkers accept.
        println!("cargo::rustc-link-arg-bins=-z");
        println!("cargo::rustc-link-arg-bins=pack-relative-relocs");
    }
}

/// Returns whether the loader of the target supports them. The glibc version of a cross-compilation target is
/// unknown.
fn are_read() -> bool {
    let is_native = env::var("HOST") == env::var("TARGET");
    match env::var("CARGO_CFG_TARGET_ENV").as_deref() {
        Ok("musl") => true,
        Ok("gnu") => is_native && glibc().is_some_and(|version| version >= FIRST_GLIBC),
        _ => false,
    }
}

/// Returns the glibc version of this machine; `getconf` prints it as `glibc 2.36`.
fn glibc() -> Option<(u32, u32)> {
    let answer = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let answer = String::from_utf8(answer.stdout).ok()?;
    let (major, minor) = answer.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
