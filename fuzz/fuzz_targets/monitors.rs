//! The monitors say what the evaluator says, of any formula and run.
#![no_main]

#[path = "../../tests/support/cases.rs"]
mod cases;
#[path = "../../tests/support/same.rs"]
mod same;

use cases::{Bytes, Language};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let bytes = &mut Bytes(data);
    let language = Language {
        quantifiers: bytes.below(3) != 0,
        rust: bytes.below(4) == 0,
    };
    // The run first: what is left of the bytes is the formula, which ends where they end.
    let calls = cases::calls(bytes, 40, true);
    let formula = cases::formula(bytes, language, 6);
    if let Err(error) = same::compare(std::slice::from_ref(&formula), &calls) {
        panic!("{error}\n{}", same::show(&[formula], &calls));
    }
});
