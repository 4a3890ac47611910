//! The command line.

use std::fmt;
use std::path::PathBuf;

use agentltl::analysis::Lint;
use agentltl::{Severity, TraceFormat};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use crate::policy::Kind;
use crate::screen::Color;

const EXIT_CODES: &str = "\
Exit codes: 0 where everything asked for holds, 1 where something does not, 2 where something could \
not be read.";

/// Rules over the tool calls of LLM agents: score runs, replay them, check and explain policies.
#[derive(Parser, Debug)]
#[command(name = "agentltl", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// Whether to use colour.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Score finished runs by a policy.
    Verify(Verify),
    /// Show what an enforcer would have said at each call of a run.
    Replay(Replay),
    /// Tell whether refusing calls for a formula, or for the rules of a policy, makes sense.
    Classify(Classify),
    /// Explain a formula, or the rules of a policy: in words, by its verdicts, and by runs.
    Explain(Explain),
    /// Check policy files.
    Check(Check),
    /// Tell whether a policy as a whole makes sense, by proof: what it finds is shown by a run.
    ///
    /// Rules that cannot be broken or met, that contradict or imply each other, or of which a part is
    /// idle; states in which an agent that obeys gets stuck or can no longer satisfy a rule about the
    /// final answer; listed tools that may never be called.
    Analyze(Analyze),
    /// Format policy files; comments stay.
    Fmt(Fmt),
    /// Turn a policy from TOML to JSON or back.
    Convert(Convert),
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page.
    Man,
}

/// Where runs come from.
#[derive(Args, Debug)]
pub(crate) struct Runs {
    /// Files and folders of runs; `-` is standard input.
    ///
    /// A file holds one run, a list of runs, or a run a line. Of a folder, the files below it that
    /// end in .json, .jsonl, .ndjson or .traj are read.
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::AnyPath)]
    pub(crate) traces: Vec<PathBuf>,
    /// The policy, in TOML or JSON.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) policy: PathBuf,
    /// The format of the runs; where absent, it is told by the content.
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) from: Option<TraceFormat>,
    /// Show no progress bar, not even on a terminal.
    #[arg(long)]
    pub(crate) no_progress: bool,
}

fn formats() -> impl TypedValueParser<Value = TraceFormat> {
    PossibleValuesParser::new(TraceFormat::ALL.map(TraceFormat::as_str))
        .try_map(|name| name.parse::<TraceFormat>())
}

#[derive(Args, Debug)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) runs: Runs,
    /// What to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
    /// Where to write it; standard output where absent.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// The score that each run must reach: 1 asks that every rule holds.
    #[arg(long, default_value = "1", value_name = "SCORE", value_parser = score)]
    pub(crate) min_score: f64,
    /// Show every rule of every run, in text.
    #[arg(long)]
    pub(crate) details: bool,
}

fn score(text: &str) -> Result<f64, String> {
    let score: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&score) {
        Ok(score)
    } else {
        Err("a score is between 0 and 1".to_owned())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object.
    Json,
    /// JUnit XML, for CI: a test suite a run, a test case a rule.
    Junit,
    /// A page with a picture of each run.
    Html,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlainFormat {
    /// For people.
    #[default]
    Text,
    /// JSON.
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct Replay {
    #[command(flatten)]
    pub(crate) runs: Runs,
    /// What to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
    /// Print the feedback the agent would have got.
    #[arg(long)]
    pub(crate) feedback: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// Settings of the enforcer.
#[derive(Args, Debug)]
pub(crate) struct Settings {
    /// Refuse every call after a stop.
    #[arg(long)]
    pub(crate) latch_stop: bool,
    /// How many refusals let a SOFT_BLOCK rule escalate.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(crate) max_soft_attempts: u64,
    /// How many violations one refusal reports.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) nudge_max: usize,
}

#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["formula", "policy"])))]
pub(crate) struct Classify {
    /// A formula, such as 'called_n("deploy", <= 1)'.
    pub(crate) formula: Option<String>,
    /// A policy, in TOML or JSON, instead of a formula.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) policy: Option<PathBuf>,
    /// The severity to judge the formula with.
    #[arg(short, long, value_name = "SEVERITY", value_parser = severities(), requires = "formula")]
    pub(crate) severity: Option<Severity>,
    /// What to print.
    #[arg(short = 'F', long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

fn severities() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(Severity::ALL.map(Severity::as_str))
        .try_map(|name| name.parse::<Severity>())
}

#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["formula", "policy"])))]
pub(crate) struct Explain {
    /// A formula, such as 'before("fetch", "save")'.
    pub(crate) formula: Option<String>,
    /// A policy, in TOML or JSON, instead of a formula.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) policy: Option<PathBuf>,
    /// Only the rule of this name.
    #[arg(long, value_name = "NAME", requires = "policy")]
    pub(crate) rule: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// Policy files, in TOML or JSON; `-` is standard input.
    #[arg(required = true, value_name = "POLICY", value_hint = ValueHint::FilePath)]
    pub(crate) policies: Vec<PathBuf>,
    /// A rule whose class does not suit its severity is an error, not a warning.
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Analyze {
    /// Policy files, in TOML or JSON; `-` is standard input.
    #[arg(required = true, value_name = "POLICY", value_hint = ValueHint::FilePath)]
    pub(crate) policies: Vec<PathBuf>,
    /// Judge the policies as under strict runtime safety: what no agent can live with is an error.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Findings of these kinds make the command fail.
    #[arg(short = 'D', long, value_name = "LINT", value_delimiter = ',', value_parser = lints())]
    pub(crate) deny: Vec<AnyLint>,
    /// Findings of these kinds are shown, and are no failure.
    #[arg(short = 'W', long, value_name = "LINT", value_delimiter = ',', value_parser = lints())]
    pub(crate) warn: Vec<AnyLint>,
    /// Findings of these kinds are not shown. A lint that is named counts more than `all`.
    #[arg(short = 'A', long, value_name = "LINT", value_delimiter = ',', value_parser = lints())]
    pub(crate) allow: Vec<AnyLint>,
    /// What to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

/// A lint, or all that are not named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnyLint {
    One(Lint),
    All,
}

impl fmt::Display for AnyLint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnyLint::One(lint) => lint.fmt(f),
            AnyLint::All => f.write_str("all"),
        }
    }
}

fn lints() -> impl TypedValueParser<Value = AnyLint> {
    let names = Lint::ALL.map(Lint::as_str).into_iter().chain(["all"]);
    PossibleValuesParser::new(names)
        .map(|name| Lint::from_name(&name).map_or(AnyLint::All, AnyLint::One))
}

#[derive(Args, Debug)]
pub(crate) struct Fmt {
    /// Policy files, in TOML or JSON; `-` reads standard input and prints the result.
    #[arg(required = true, value_name = "POLICY", value_hint = ValueHint::FilePath)]
    pub(crate) policies: Vec<PathBuf>,
    /// Change nothing; exit with 1 where something would change.
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// The policy file, in TOML or JSON; `-` is standard input.
    #[arg(value_name = "POLICY", value_hint = ValueHint::FilePath)]
    pub(crate) policy: PathBuf,
    /// What to turn it into; where absent, the other of the two.
    #[arg(long, value_enum)]
    pub(crate) to: Option<Kind>,
    /// Where to write it; standard output where absent.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}
