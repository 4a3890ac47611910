//! `agentltl check`: what is wrong with policy files.

use std::io::Write;

use crate::Outcome;
use crate::args::Check;
use crate::error::Failure;
use crate::policy::one_of_several;
use crate::screen::{GOOD, Plain, Screen};

pub(crate) fn run(options: &Check, screen: &mut Screen) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::Met;
    for path in &options.policies {
        let Some((text, policy)) = one_of_several(path, screen)? else {
            outcome = Outcome::BadInput;
            continue;
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
