//! In what places of passages are counted.

use neardupe_core::pipeline::passages::TextSide;

/// In what places are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offsets {
    /// Characters of Unicode (code points).
    #[default]
    Characters,
    /// Bytes of UTF-8.
    Bytes,
}

neardupe_core::named!(Offsets as "offsets" {
    Characters = "characters",
    Bytes = "bytes",
});

impl Offsets {
    /// Where a side begins and ends.
    pub fn of(self, side: &TextSide) -> (u64, u64) {
        match self {
            Offsets::Characters => (side.chars.start, side.chars.end),
            Offsets::Bytes => (side.span.start as u64, side.span.end as u64),
        }
    }
}
