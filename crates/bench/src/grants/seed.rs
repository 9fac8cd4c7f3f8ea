//! People, grants and codes written directly to the database, because creating them through pages would take
//! longer than the measurement. Secrets and hashes are created by the product's own code.

use crate::stage::Stage;
use domain::secret::{Secret, SecretBytes, SecretKind};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;

/// Creates people without data and returns their ids; existing ones are kept.
pub(crate) fn people(stage: &Stage, number: usize) -> anyhow::Result<Vec<String>> {
    let made = "INSERT INTO person SELECT id, id || '@example.org'
        FROM (SELECT md5('grants' || n)::uuid AS id FROM generate_series(1, $number) AS n) AS made
        ON CONFLICT DO NOTHING;
        INSERT INTO account (id, email, home_timezone, created_at)
        SELECT id, email_normalised, 'Europe/Berlin', now() FROM person ON CONFLICT DO NOTHING;
        SELECT md5('grants' || n)::uuid FROM generate_series(1, $number) AS n";
    let printed = stage.postgres.sql(&made.replace("$number", &number.to_string()))?;
    Ok(printed.lines().map(str::to_owned).collect())
}

/// Creates a grant per person and returns the refresh tokens.
pub(crate) fn grants(stage: &Stage, people: &[String]) -> anyhow::Result<Vec<Secret>> {
    let tokens = secrets(SecretKind::RefreshToken, people.len())?;
    let mut rows = String::from(
        "COPY access_grant (user_id, id, client_id, scopes, refresh_token_hash, created_at) FROM STDIN;\n",
    );
    for (token, person) in tokens.iter().zip(people) {
        let hash = hash(token);
        // Writing to a string does not fail.
        let _ = writeln!(
            rows,
            "{person}\t{hash:.32}\t{}\tprofile sleep\t\\\\x{hash}\t2026-01-01T00:00:00Z",
            stage.app.client_id,
        );
    }
    store(stage, rows + "\\.\n")?;
    Ok(tokens)
}

/// Creates this many codes, valid for a day, spread over the people.
pub(crate) fn codes(stage: &Stage, people: &[String], number: usize) -> anyhow::Result<Vec<Secret>> {
    let codes = secrets(SecretKind::AuthorizationCode, number)?;
    let mut rows = String::from(
        "CREATE TEMPORARY TABLE given (code_hash bytea, user_id uuid);\nCOPY given FROM STDIN;\n",
    );
    for (code, person) in codes.iter().zip(people.iter().cycle()) {
        let _ = writeln!(rows, "\\\\x{}\t{person}", hash(code));
    }
    let (client, uri) = (&stage.app.client_id, stage.app.redirect_uri);
    let _ = writeln!(
        rows,
        "\\.\nINSERT INTO authorization_code (code_hash, client_id, user_id, redirect_uri, scopes, issued_at, expires_at)
         SELECT code_hash, '{client}', user_id, '{uri}', 'profile sleep', now(), now() + interval '1 day' FROM given;"
    );
    store(stage, rows)?;
    Ok(codes)
}

/// Runs statements from a file, because they are too long for a command line.
fn store(stage: &Stage, statements: String) -> anyhow::Result<()> {
    let file = stage.folder.path().join("rows.sql");
    std::fs::write(&file, statements + "VACUUM ANALYZE;\nCHECKPOINT;\n")?;
    let path = file.display().to_string();
    stage.postgres.program("psql", &["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", &path])?;
    Ok(std::fs::remove_file(file)?)
}

/// Returns a generator of secrets.
pub(crate) fn secrets(kind: SecretKind, number: usize) -> anyhow::Result<Vec<Secret>> {
    let mut random = File::open("/dev/urandom")?;
    let mut secrets = Vec::with_capacity(number);
    for _ in 0..number {
        let mut bytes = [0; 32];
        random.read_exact(&mut bytes)?;
        secrets.push(Secret::from_bytes(kind, &SecretBytes::new(bytes)));
    }
    Ok(secrets)
}

/// Formats a hash in hexadecimal digits.
fn hash(secret: &Secret) -> String {
    let mut text = String::new();
    for byte in secret.hash().as_bytes() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
