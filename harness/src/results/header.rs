//! [`Header`]: the first line of a file of results, which says what the rest is.

use std::{
    env, fmt, fs,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use crate::compare::plan::Plan;

/// What the field `format` of a header says.
pub const FORMAT: &str = "snapshot-harness results";

/// The version of the format that is written and read here. It rises when a field is taken away or changes its meaning; a new
/// field does not raise it.
pub const VERSION: u64 = 2;

/// The first line of a file of results.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u64,
    /// The version of the program that measured.
    pub program_version: String,
    /// The arguments that it was called with, without its own name.
    pub command: Vec<String>,
    /// When the measurement began, in UTC, as in `2023-02-17T06:30:00Z`; absent where the clock did not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The operating system, in Rust's words.
    pub os: String,
    /// The processor's architecture, in Rust's words.
    pub arch: String,
    /// The system's kernel; absent where it does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The processor's model; absent where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// Cores that the program could use.
    pub cores: usize,
    /// Whether each thread stayed on a core of its own, where there were enough.
    #[serde(default)]
    pub pinned: bool,
    /// Rounds that were planned, at least.
    pub rounds: usize,
    /// Rounds that all rows are made of: fewer where the program was stopped. Some rows may have more.
    pub rounds_done: usize,
    /// For everything random.
    pub seed: u64,
    /// The snapshot strategy that every ratio is a multiple of.
    pub reference_snapshot: String,
    /// The threshold strategy that goes with it.
    pub reference_threshold: String,
}

impl Header {
    /// The header of what is measured on this machine from now on, with the arguments of this program.
    ///
    /// `reference` is the pairing that every ratio will be a multiple of: snapshot and threshold strategy.
    pub fn new(cores: usize, plan: &Plan, reference: (&str, &str)) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let of_system = |file| fs::read_to_string(file).ok();
        Header {
            format: FORMAT.into(),
            version: VERSION,
            program_version: env!("CARGO_PKG_VERSION").into(),
            command: env::args_os().skip(1).map(|arg| arg.to_string_lossy().into()).collect(),
            date: now.map(date),
            os: env::consts::OS.into(),
            arch: env::consts::ARCH.into(),
            kernel: of_system("/proc/sys/kernel/osrelease").map(|release| release.trim().into()),
            cpu: of_system("/proc/cpuinfo").as_deref().and_then(model),
            cores,
            pinned: plan.pinned,
            rounds: plan.rounds,
            rounds_done: 0,
            seed: plan.seed,
            reference_snapshot: reference.0.into(),
            reference_threshold: reference.1.into(),
        }
    }

    /// In what two measurements differ that may move a ratio, one phrase each.
    ///
    /// The program's version is not among them: that it differs is what one compares for.
    pub fn differences(&self, other: &Header) -> Vec<String> {
        let or_unknown = |told: &Option<String>| told.clone().unwrap_or_else(|| "unknown".into());
        let told = |header: &Header| {
            [
                ("operating system", header.os.clone()),
                ("architecture", header.arch.clone()),
                ("kernel", or_unknown(&header.kernel)),
                ("processor", or_unknown(&header.cpu)),
                ("cores", header.cores.to_string()),
                ("pinned", if header.pinned { "yes".into() } else { "no".into() }),
                ("rounds", header.rounds_done.min(header.rounds).to_string()),
                ("seed", header.seed.to_string()),
                ("reference", header.reference()),
            ]
        };
        let pairs = told(self).into_iter().zip(told(other));
        pairs
            .filter(|(one, two)| one != two)
            .map(|((what, one), (_, two))| format!("{what}: {one} and {two}"))
            .collect()
    }

    /// The command that made the file, as one types it.
    pub fn command_line(&self) -> String {
        let words = self.command.iter().map(|word| quoted(word));
        std::iter::once("harness".into()).chain(words).collect::<Vec<_>>().join(" ")
    }

    /// The pairing that every ratio is a multiple of.
    pub fn reference(&self) -> String {
        format!("{} × {}", self.reference_snapshot, self.reference_threshold)
    }
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_+.,:=/@%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// When, where and how often, in one line.
impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(date) = &self.date {
            write!(f, "{date}, ")?;
        }
        let Header { cores, cpu, os, arch, pinned, rounds_done, rounds, .. } = self;
        let plural = if *cores == 1 { "" } else { "s" };
        let cpu = cpu.as_deref().unwrap_or("a processor");
        write!(f, "{cores} core{plural} of {cpu} ({os}, {arch})")?;
        if *pinned {
            f.write_str(", threads pinned")?;
        }
        if rounds_done < rounds {
            write!(f, ", stopped after {rounds_done} of {rounds} rounds")?;
        }
        Ok(())
    }
}

/// The model's name in Linux's `/proc/cpuinfo`. Not all architectures have it.
fn model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    (!name.trim().is_empty()).then(|| name.trim().into())
}

/// The date and time of day in UTC, so long after the start of 1970.
fn date(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let (mut days, time) = (seconds / 86_400, seconds % 86_400);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
    format!("{year}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample::header;

    #[test]
    fn dates() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_676_615_400, "2023-02-17T06:30:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date(Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn models() {
        let name =
            "processor\t: 0\nmodel\t\t: 207\nmodel name\t: Some CPU: fast\nmodel name\t: x\n";
        assert_eq!(model(name).as_deref(), Some("Some CPU: fast"));
        assert_eq!(model("processor\t: 0\nBogoMIPS\t: 50.00\n"), None);
        assert_eq!(model("model name\t:\n"), None);
    }

    #[test]
    fn differences_of_machines_and_settings_are_named() {
        assert_eq!(header().differences(&header()), [""; 0]);
        let other = Header {
            program_version: "9.9.9".into(),
            pinned: false,
            date: None,
            cores: 64,
            cpu: None,
            kernel: None,
            rounds_done: 3,
            seed: 2,
            ..header()
        };
        assert_eq!(
            header().differences(&other),
            [
                "kernel: 6.1.0 and unknown",
                "processor: Some CPU and unknown",
                "cores: 2 and 64",
                "pinned: yes and no",
                "rounds: 7 and 3",
                "seed: 1 and 2"
            ]
        );
        assert!(other.to_string().ends_with(", stopped after 3 of 7 rounds"), "{other}");
        let small = Header { cores: 1, ..other };
        assert!(
            small
                .to_string()
                .starts_with("1 core of a processor (linux, x86_64), stopped after 3 of 7 rounds"),
            "{small}"
        );
    }

    #[test]
    fn commands_can_be_typed_again() {
        let command = ["compare", "--snapshot", "csn(rising)", "--out", "it's here", "", "a=1"];
        let header = Header { command: command.map(String::from).to_vec(), ..header() };
        assert_eq!(
            header.command_line(),
            r"harness compare --snapshot 'csn(rising)' --out 'it'\''s here' '' a=1"
        );
    }
}
