//! QR codes as SVG paths.

use qrcodegen::{QrCode as Encoded, QrCodeEcc};
use std::fmt::Write as _;

/// Width of the empty margin in modules (ISO/IEC 18004 section 5.3.8).
const MARGIN: i32 = 4;

/// A QR code.
#[derive(Clone)]
pub(crate) struct QrCode {
    /// Width and height in modules, with the margin.
    pub(crate) size: i32,
    /// Path of the dark modules.
    pub(crate) path: String,
}

impl QrCode {
    /// Encodes a text; `None` if it is too long.
    pub(crate) fn encode(text: &str) -> Option<Self> {
        let code = Encoded::encode_text(text, QrCodeEcc::Medium).ok()?;
        let mut path = String::new();
        for y in 0..code.size() {
            let mut x = 0;
            while x < code.size() {
                let run = (x..code.size()).take_while(|x| code.get_module(*x, y)).count();
                let run = i32::try_from(run).ok()?;
                if run > 0 {
                    write!(path, "M{} {}h{run}v1h-{run}z", x + MARGIN, y + MARGIN).ok()?;
                }
                x += run.max(1);
            }
        }
        Some(Self { size: code.size() + 2 * MARGIN, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_has_the_finder_pattern_in_the_corner_and_a_margin_around() {
        let code = QrCode::encode("otpauth://totp/x?secret=AAAA").unwrap();
        assert_eq!(code.size, 37);
        assert!(code.path.starts_with("M4 4h7v1h-7z"), "{}", code.path);
        assert!(QrCode::encode(&"x".repeat(3000)).is_none());
    }
}
