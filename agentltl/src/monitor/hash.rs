//! A quick hash for keys that come with the policy: an agent can look them up but not add any.

use std::hash::{BuildHasherDefault, Hasher};

#[derive(Clone, Copy, Default)]
pub(super) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        // The table takes its buckets from the low bits and its tags from the high ones.
        self.0 ^ (self.0 >> 32)
    }
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in words.by_ref() {
            let mut whole = [0; 8];
            whole.copy_from_slice(word);
            self.write_u64(u64::from_le_bytes(whole));
        }
        let rest = words
            .remainder()
            .iter()
            .fold(0, |rest, byte| rest << 8 | u64::from(*byte));
        self.write_u64(rest ^ (bytes.len() as u64) << 56);
    }
    fn write_u8(&mut self, _: u8) {
        // The end of a string, whose length is in the hash.
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

pub(super) type QuickMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Quick>>;
