//! What shells and `man` need.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::Outcome;
use crate::args::Arguments;
use crate::error::Failure;
use crate::screen::Screen;

pub(crate) fn completions(shell: Shell, screen: &mut Screen) -> Result<Outcome, Failure> {
    let mut text = Vec::new();
    generate(shell, &mut Arguments::command(), "agentltl", &mut text);
    screen.out().write_all(&text)?;
    Ok(Outcome::Met)
}

/// The pages of the command and its subcommands, one after the other.
pub(crate) fn man(screen: &mut Screen) -> Result<Outcome, Failure> {
    let mut command = Arguments::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for subcommand in command.get_subcommands() {
        if subcommand.get_name() != "help" {
            clap_mangen::Man::new(subcommand.clone()).render(&mut page)?;
        }
    }
    screen.out().write_all(&page)?;
    Ok(Outcome::Met)
}
