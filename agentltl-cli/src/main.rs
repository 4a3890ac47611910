//! The `agentltl` command: rules over the tool calls of LLM agents, for people and for CI.

mod args;
mod commands;
mod error;
mod input;
mod parallel;
mod policy;
mod progress;
mod screen;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use error::Failure;
use screen::Screen;

/// What the exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Everything asked for holds.
    Met = 0,
    /// Something does not.
    NotMet = 1,
    /// Something could not be read.
    BadInput = 2,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(outcome as u8)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut screen = Screen::new(arguments.color);
    let result = match &arguments.command {
        Command::Verify(options) => commands::verify::run(options, &mut screen),
        Command::Replay(options) => commands::replay::run(options, &mut screen),
        Command::Classify(options) => commands::classify::run(options, &mut screen),
        Command::Explain(options) => commands::explain::run(options, &mut screen),
        Command::Check(options) => commands::check::run(options, &mut screen),
        Command::Analyze(options) => commands::analyze::run(options, &mut screen),
        Command::Fmt(options) => commands::fmt::run(options, &mut screen),
        Command::Convert(options) => commands::convert::run(options, &mut screen),
        Command::Completions { shell } => commands::shell::completions(*shell, &mut screen),
        Command::Man => commands::shell::man(&mut screen),
    };
    match result.and_then(|outcome| screen.flush().map(|()| outcome)) {
        Ok(outcome) => outcome.into(),
        // Whoever reads the output has seen enough, as in `agentltl verify .. | head`.
        Err(Failure::ClosedPipe) => Outcome::Met.into(),
        Err(failure) => {
            screen.error(&failure.to_string());
            Outcome::BadInput.into()
        }
    }
}
