//! Attestation objects (section 6.5): the server requests none, and accepts "none" or self attestation, which
//! browsers keep in any case.

use super::cbor::{CborReader, MalformedCbor};

/// An attestation object with a format that the server accepts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AttestationObject<'a> {
    pub(super) statement: AttestationStatement<'a>,
    pub(super) authenticator_data: &'a [u8],
}

/// An attestation statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AttestationStatement<'a> {
    /// `none` (section 8.7).
    None,
    /// `packed` without certificates (section 8.2): signed by the new key.
    SelfSigned { algorithm: i64, signature: &'a [u8] },
    /// Any other.
    Unaccepted,
}

impl<'a> AttestationObject<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, MalformedCbor> {
        let mut reader = CborReader::new(bytes);
        let (mut format, mut statement, mut data) = (None, None, None);
        for _ in 0..reader.map()? {
            let is_new = match reader.text()? {
                "fmt" => format.replace(reader.text()?).is_none(),
                "attStmt" => statement.replace(reader.skip()?).is_none(),
                "authData" => data.replace(reader.bytes()?).is_none(),
                _ => return Err(MalformedCbor),
            };
            if !is_new {
                return Err(MalformedCbor);
            }
        }
        reader.end()?;
        let (Some(format), Some(statement), Some(data)) = (format, statement, data) else {
            return Err(MalformedCbor);
        };
        let statement = match format {
            "none" => none(statement)?,
            "packed" => packed(statement)?,
            _ => AttestationStatement::Unaccepted,
        };
        Ok(Self { statement, authenticator_data: data })
    }
}

fn none(statement: &[u8]) -> Result<AttestationStatement<'_>, MalformedCbor> {
    let entries = CborReader::new(statement).map()?;
    if entries == 0 { Ok(AttestationStatement::None) } else { Err(MalformedCbor) }
}

fn packed(statement: &[u8]) -> Result<AttestationStatement<'_>, MalformedCbor> {
    let mut reader = CborReader::new(statement);
    let (mut algorithm, mut signature) = (None, None);
    for _ in 0..reader.map()? {
        match reader.text()? {
            "alg" if algorithm.is_none() => algorithm = Some(reader.integer()?),
            "sig" if signature.is_none() => signature = Some(reader.bytes()?),
            "alg" | "sig" => return Err(MalformedCbor),
            _ => return Ok(AttestationStatement::Unaccepted),
        }
    }
    let (Some(algorithm), Some(signature)) = (algorithm, signature) else { return Err(MalformedCbor) };
    Ok(AttestationStatement::SelfSigned { algorithm, signature })
}
