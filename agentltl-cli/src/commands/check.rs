//! `agentltl check`: what is wrong with policy files.

use std::io::Write;

use crate::Outcome;
use crate::args::Check;
use crate::error::Failure;
use crate::policy::PolicyText;
use crate::screen::{GOOD, Plain, Screen};

pub(crate) fn run(options: &Check, screen: &mut Screen) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::Met;
    for path in &options.policies {
        // One file that cannot be read does not hide what is wrong with the others.
        let text = match PolicyText::load(path) {
            Ok(text) => text,
            Err(Failure::Input(message)) => {
                screen.error(&message);
                outcome = Outcome::BadInput;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let policy = match text.parse() {
            Ok(policy) => policy,
            Err(error) => {
                text.show(&error, screen);
                outcome = Outcome::BadInput;
                continue;
            }
        };
        if text.show_mismatches(&policy, options.strict, screen) && options.strict {
            outcome = outcome.max(Outcome::NotMet);
            continue;
        }
        let count = policy.constraints().len();
        let plural = if count == 1 { "" } else { "s" };
        let name = Plain(&text.name);
        writeln!(
            screen.out(),
            "{name}: {GOOD}ok{GOOD:#}, {count} constraint{plural}"
        )?;
    }
    Ok(outcome)
}
