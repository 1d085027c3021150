//! Numbers that look random and are the same on every run (splitmix64).

/// A source of them.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit, which is not zero.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// A short key from a small set, so that keys meet again.
    pub(super) fn key(&mut self) -> Vec<u8> {
        let length = self.below(3);
        let letters = [0x00, 0x01, 0x7f, 0x80, 0xff];
        (0..length).filter_map(|_| letters.get(self.below(5) as usize).copied()).collect()
    }
}
