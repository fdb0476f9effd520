//! `harness replay`: what a history of one's own costs under each design.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use indicatif::ProgressBar;
use snapshot_api::Standby;

use super::progress::progress;
use crate::{
    cli::{Failure, Verdict},
    interrupt::Interrupt,
    names::chosen,
    nothing::Nothing,
    registry::{STANDBYS, StandbyVisitor, choice, visit_standby},
    replay::{History, Input, Looked, Parsing, Timing, look, time},
    trace::Format,
};

mod report;

use report::{About, Row};

/// Measure what a transaction history of your own costs under each design
///
/// Each strategy plays the hot standby that replays the history, as fast as it
/// goes and in one thread. After every so many events a snapshot is taken. First
/// all of them are compared with those of locked-set: a strategy that differs is
/// reported and not timed.
///
/// Exit code 0, 1 if a strategy differs, 2 if the input or the command line is
/// wrong; 130 after Ctrl-C, with what was measured until then (a second Ctrl-C
/// ends it at once).
///
/// The history is what pg_waldump prints about your log, all resource managers:
///
///   cd $PGDATA/pg_wal
///   pg_waldump FIRST_SEGMENT LAST_SEGMENT | harness replay -
///
/// or an events.txt, as in the built-in recordings. It counts from where a
/// standby would accept queries. Text of pg_waldump first needs a checkpoint,
/// then a record of the running transactions; a primary with wal_level=replica
/// writes one with every checkpoint, and every 15 seconds while it works.
///
/// Memory: the whole input and its text while they are read, then 16 bytes for
/// an event and 4 for each id in a list, and for each strategy 4 for a snapshot
/// and 4 for the events before it.
///
/// Columns:
///
///   ns/event     to apply one event, snapshots not included. The row "machine"
///                is the standby's own bookkeeping, with a strategy that does
///                nothing: it is part of all other rows
///   ns/snapshot  for one snapshot: mean, median, 99th percentile. Each is timed
///                alone, so it is as fine as the clock
///   window       from the oldest running id to the next one, in ids
///   running      ids that the snapshot lists
///   span         places that a snapshot of a boolean array walks over
///   bytes        allocated by machine, strategy and one snapshot. Counting
///                makes every allocation a little slower
#[derive(clap::Args, Clone, Debug)]
#[command(verbatim_doc_comment, after_long_help = EXAMPLES)]
pub struct Args {
    /// The history, plain or gzip'd; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The form of its lines; found out if it is not given
    #[arg(long, value_name = "FORM")]
    format: Option<Form>,

    /// Only these strategies: a name, a name without its variant, or a regular expression; may be given more than once. All
    /// that can play a standby if none is given
    #[arg(long = "strategy", value_name = "NAME|REGEX")]
    strategies: Vec<String>,

    /// Take a snapshot after every N events; 0 for never
    #[arg(long, value_name = "N", default_value_t = 64)]
    every: u32,

    /// How often each strategy is timed, in turn; of each 64 events and of each snapshot the fastest run counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,

    /// Print one JSON object a line instead of tables
    #[arg(long)]
    json: bool,
}

/// Below the options, as those of the other commands.
const EXAMPLES: &str = "\
Examples:
  pg_waldump FIRST_SEGMENT LAST_SEGMENT | harness replay -
  harness replay events.txt.gz --strategy boolean-array --every 1000
  harness replay events.txt.gz --strategy '^(linked-list|skip)' --json";

/// The form of the lines, as the command line has it.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Form {
    /// Events alone, in the form of the built-in recordings
    Events,
    /// What pg_waldump prints
    Waldump,
}

impl From<Form> for Format {
    fn from(form: Form) -> Self {
        match form {
            Form::Events => Format::Events,
            Form::Waldump => Format::WalDump,
        }
    }
}

/// Looks at one strategy.
struct Look<'a>(&'a History, usize);

impl StandbyVisitor for Look<'_> {
    type Output = Looked;

    fn visit<S: Standby + 'static>(self, config: S::Config) -> Looked {
        look::<S>(self.0, config, self.1)
    }
}

/// Times one strategy.
struct Time<'a>(&'a History, usize);

impl StandbyVisitor for Time<'_> {
    type Output = Result<Timing, String>;

    fn visit<S: Standby + 'static>(self, config: S::Config) -> Self::Output {
        time::<S>(self.0, config, self.1)
    }
}

/// Runs the subcommand.
///
/// # Errors
///
/// An unknown strategy, a history that is not as it should be or at no point of which a standby accepts queries, or
/// output that cannot be written.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    let known = choice(STANDBYS.to_vec(), &args.strategies);
    let strategies = chosen("strategy that can play a standby", &args.strategies, &known)?;
    let wanted = args.format.map(Format::from);
    let input = if args.file == Path::new("-") {
        Input::stdin(wanted)?
    } else {
        Input::open(&args.file, wanted)?
    };
    let history = History::read(&input)?;
    let about = About::new(&input, &Parsing::measure(&input)?, &history);
    // The text is not needed any more.
    drop(input);
    // Before that there is nothing to lose.
    Interrupt::catch()?;
    if args.json {
        writeln!(io::stdout(), "{}", serde_json::to_string(&about)?)?;
    }
    let rounds = u64::from(args.rounds);
    let bar = progress(strategies.len() as u64 + rounds * (strategies.len() as u64 + 1));
    let rows = measure(&history, &strategies, args, &bar);
    // Before any message, also that of an error.
    bar.finish_and_clear();
    let (rows, done) = rows?;
    let interrupted = done.looks < strategies.len() || done.rounds < args.rounds;
    let mut out = io::stdout().lock();
    if args.json {
        for row in &rows {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
    } else {
        report::print(&mut out, &about, &rows, args.every, &done.runs())?;
    }
    if interrupted {
        eprintln!(
            "interrupted: {} of {} strategies compared, {} of {} rounds timed",
            done.looks,
            strategies.len(),
            done.rounds,
            args.rounds
        );
        return Ok(Verdict::Interrupted);
    }
    Ok(report::verdict(&rows))
}

/// How far it came.
#[derive(Clone, Copy, Default)]
struct Done {
    /// Strategies.
    looks: usize,
    /// Whole rounds.
    rounds: u32,
    /// Whether some strategies were timed once more.
    one_more: bool,
}

impl Done {
    /// What a row's times are the fastest of.
    fn runs(self) -> String {
        match (self.rounds, self.one_more) {
            (0, false) => "not measured".into(),
            (0, true) => "one run of some".into(),
            (1, false) => "one run".into(),
            (rounds, false) => format!("the fastest of {rounds} runs of each batch and snapshot"),
            (rounds, true) => {
                format!("the fastest of {rounds} or {} runs of each batch and snapshot", rounds + 1)
            }
        }
    }
}

/// Looks at all strategies, then times those that are right, in turn. The first row is the machine's.
fn measure(
    history: &History,
    strategies: &[&str],
    args: &Args,
    bar: &ProgressBar,
) -> Result<(Vec<Row>, Done), Failure> {
    let every = args.every as usize;
    let mut done = Done::default();
    let mut rows = vec![Row::of_machine(history, every)];
    for strategy in strategies {
        if Interrupt::asked() {
            return Ok((rows, done));
        }
        bar.set_message(format!("{strategy}, comparing"));
        let looked = visit_standby(strategy, Look(history, every))?;
        rows.push(Row::new(strategy, &looked));
        done.looks += 1;
        bar.inc(1);
    }
    'rounds: for _ in 0..args.rounds {
        for row in &mut rows {
            if Interrupt::asked() {
                break 'rounds;
            }
            bar.set_message(format!("{}, timing", row.strategy()));
            if row.is_machine() {
                row.time(time::<Nothing>(history, (), every));
            } else if row.is_right() {
                row.time(visit_standby(row.strategy(), Time(history, every))?);
            }
            done.one_more = true;
            bar.inc(1);
        }
        (done.rounds, done.one_more) = (done.rounds + 1, false);
    }
    rows.iter_mut().for_each(Row::finish);
    Ok((rows, done))
}
