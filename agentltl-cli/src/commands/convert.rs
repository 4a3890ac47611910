//! `agentltl convert`: TOML to JSON and back.

use std::fs;
use std::io::Write;

use crate::Outcome;
use crate::args::Convert;
use crate::error::Failure;
use crate::policy::{Kind, PolicyText};
use crate::screen::Screen;

pub(crate) fn run(options: &Convert, screen: &mut Screen) -> Result<Outcome, Failure> {
    let text = PolicyText::load(&options.policy)?;
    let policy = match text.parse() {
        Ok(policy) => policy,
        Err(error) => {
            text.show(&error, screen);
            return Ok(Outcome::BadInput);
        }
    };
    let ending = options.output.as_ref().and_then(|path| path.extension());
    let kind = options.to.unwrap_or(match ending.and_then(|e| e.to_str()) {
        Some("toml") => Kind::Toml,
        Some("json") => Kind::Json,
        _ if text.kind == Kind::Toml => Kind::Json,
        _ => Kind::Toml,
    });
    let mut converted = match kind {
        Kind::Toml => policy.to_toml(),
        Kind::Json => policy.to_json(),
    };
    if !converted.ends_with('\n') {
        converted.push('\n');
    }
    match &options.output {
        None => screen.out().write_all(converted.as_bytes())?,
        Some(path) => fs::write(path, converted)
            .map_err(|error| Failure::Write(path.display().to_string(), error))?,
    }
    Ok(Outcome::Met)
}
