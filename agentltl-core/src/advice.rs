//! What to say where a formula and a severity do not go together: the class, the part of the formula
//! that makes it so, what would happen at run time, and the way out.

use std::fmt::Write as _;

use crate::classify::RuntimeSafety;
use crate::formula::Formula;
use crate::severity::Severity;

/// The message for a mismatch; one text for the compiler and the program.
pub(crate) fn mismatch(
    name: &str,
    formula: &Formula,
    class: RuntimeSafety,
    severity: Severity,
) -> String {
    let mut message = format!("constraint `{name}` is {class} with severity {severity}: ");
    let _ = match class {
        RuntimeSafety::Inert => write!(
            message,
            "`{formula}` cannot fail before the run ends, so it would never refuse a call"
        ),
        _ => write!(
            message,
            "`{formula}` fails while an obligation is open, so it would refuse every call until \
             something meets it"
        ),
    };
    message.push_str(
        "; check it on the final answer (`applies_to_final_answer`), bound it \
         (`within_steps(a, b, k)`), or use BLOCK_AND_WARN or TOLERATE",
    );
    message
}
