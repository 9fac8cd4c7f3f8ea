//! A form with a file, as a browser encodes it.

/// Content type of the form.
pub(crate) const FILE_FORM: &str = "multipart/form-data; boundary=----restwell-test-boundary";

/// Encodes the form: the token first, if any, then the file.
pub(crate) fn file_form(token: Option<&str>, name: &str, bytes: &[u8]) -> Vec<u8> {
    file_form_with(token, name, bytes, &[])
}

/// Encodes the form with these fields after the file.
pub(crate) fn file_form_with(
    token: Option<&str>,
    name: &str,
    bytes: &[u8],
    fields: &[(&str, &str)],
) -> Vec<u8> {
    let mut body = Vec::new();
    if let Some(token) = token {
        let part =
            "------restwell-test-boundary\r\nContent-Disposition: form-data; name=\"form_token\"\r\n\r\n";
        body.extend_from_slice(part.as_bytes());
        body.extend_from_slice(token.as_bytes());
        body.extend_from_slice(b"\r\n");
    }
    let part = format!(
        "------restwell-test-boundary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    body.extend_from_slice(part.as_bytes());
    body.extend_from_slice(bytes);
    for (name, value) in fields {
        let part = format!(
            "\r\n------restwell-test-boundary\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}"
        );
        body.extend_from_slice(part.as_bytes());
    }
    body.extend_from_slice(b"\r\n------restwell-test-boundary--\r\n");
    body
}
