//! Texts of bounded length that are appended by a fixed-size copy.
//!
//! A page consists of about ten thousand pieces of a dozen bytes. Appending one of unknown length is a
//! function call. Each piece here is in an array of the maximum length, whose size the compiler knows: it is
//! copied as a whole in a few instructions, and the excess is truncated.

/// Array with a piece, and the piece's length.
pub(super) type Piece<const MOST: usize> = ([u8; MOST], usize);

/// Creates a piece of a text, which must not be longer than the array.
pub(super) fn piece<const MOST: usize>(text: &str) -> Piece<MOST> {
    let mut room = [0; MOST];
    room.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
    (room, text.len())
}

/// Appends the first `length` bytes of a piece.
#[inline]
pub(super) fn put<const MOST: usize>(out: &mut Vec<u8>, piece: &[u8; MOST], length: usize) {
    let end = out.len().saturating_add(length);
    out.extend_from_slice(piece);
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::{piece, put};

    #[test]
    fn the_excess_of_a_piece_is_truncated() {
        let mut text = b"[".to_vec();
        let (one, length) = piece::<16>("one,");
        put(&mut text, &one, length);
        put(&mut text, b"two, three", 3);
        assert_eq!(text, b"[one,two");
    }
}
