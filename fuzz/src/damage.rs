//! Damage done to samples.

/// A small source of numbers (SplitMix64), so that a seed tells the whole input.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or(0)
    }
}

/// Pieces that mean something to one parser or another.
const PIECES: [&[u8]; 41] = [
    b"<",
    b">",
    b"&",
    b";",
    b"\"",
    b"'",
    b"\0",
    b"\r\n",
    b"\n\n",
    b"\t",
    b",",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<script>",
    b"</script",
    b"<title>",
    b"<p>",
    b"<b>",
    b"</DOC>",
    b"<DOC>",
    b"</TEXT>",
    b"<!DOCTYPE x [",
    b"&#x10ffff;",
    b"&#0;",
    b"&amp",
    b"WARC/1.0\r\n",
    b"Content-Length: 18446744073709551615\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xe4\xb8",
    b"\x1f\x8b",
    b"ffffffff\r\n",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
];

/// A sample after a few edits: bytes changed, pieces put in, stretches gone or repeated.
pub(crate) fn damaged(sample: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..random.below(12) {
        let len = bytes.len();
        if len == 0 {
            break;
        }
        let at = random.below(len);
        match random.below(8) {
            0 | 1 => bytes[at] = random.next().to_le_bytes()[0],
            2 => bytes[at] ^= 1 << random.below(8),
            3 | 4 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            5 => {
                let end = len.min(at + random.below(64));
                bytes.drain(at..end);
            }
            6 => {
                let end = len.min(at + random.below(2000));
                let piece = bytes[at..end].to_vec();
                let to = random.below(len);
                bytes.splice(to..to, piece);
            }
            _ if random.below(4) == 0 => bytes.truncate(at),
            _ => {}
        }
    }
    bytes
}
