//! The command line: one subcommand, one file under `commands/`.

use std::{error::Error, fmt, process::ExitCode};

use clap::{Parser, Subcommand};

use crate::{
    commands::{compare, costs, diff, list, rank, replay, report, reproduce, verify},
    interrupt,
};

/// Proves snapshot strategies right against a real PostgreSQL standby, and measures what each costs.
#[derive(Parser, Debug)]
#[command(version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    List(list::Args),
    Verify(verify::Args),
    Compare(Box<compare::Args>),
    Diff(diff::Args),
    Rank(rank::Args),
    Report(report::Args),
    Costs(costs::Args),
    Replay(replay::Args),
    Reproduce(reproduce::Args),
}

/// How a command ended, if it ran at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All is as it should be: exit code 0.
    Good,
    /// A strategy is wrong, fell below a limit, or a file does not say what was measured: exit code 1.
    Bad,
    /// Somebody asked for an end before all was done, and what was done is printed: exit code 130.
    Interrupted,
}

/// A command could not run: exit code 2.
#[derive(Debug)]
pub struct Failure(Box<dyn Error + Send + Sync>);

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(Box::new(error))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Runs what the command line says.
pub fn main() -> ExitCode {
    let run = match Cli::parse().command {
        Command::List(args) => list::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Rank(args) => rank::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Costs(args) => costs::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
    };
    match run {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::from(1),
        Ok(Verdict::Interrupted) => ExitCode::from(interrupt::EXIT_CODE),
        // A reader that closed the pipe has seen what it wanted.
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("harness: {failure}");
            ExitCode::from(2)
        }
    }
}

impl Failure {
    fn is_broken_pipe(&self) -> bool {
        let error = self.0.downcast_ref::<std::io::Error>();
        error.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    }
}
