//! Recordings of a real PostgreSQL 15.18 primary and its hot standby, built into the program.
//!
//! They are part of the program, not found by a path, so that an installed binary has them. `recordings/README.md` in the
//! crate tells how they were taken.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::{
    oracle::RowReader,
    trace::{TraceError, TraceReader},
};

/// Events with the snapshots that a real standby computed between them.
#[derive(Clone, Debug)]
pub enum Recording {
    /// Built into the program.
    BuiltIn {
        /// Its name.
        name: &'static str,
        /// gzip'd `events.txt`.
        events: &'static [u8],
        /// gzip'd `snapshots.tsv`.
        snapshots: &'static [u8],
    },
    /// In a folder.
    Folder {
        /// The folder, as the user named it.
        folder: PathBuf,
        /// The events in it.
        events: PathBuf,
        /// The snapshots in it.
        snapshots: PathBuf,
    },
}

macro_rules! built_in {
    ($($name:literal)*) => {
        &[$(Recording::BuiltIn {
            name: $name,
            events: include_bytes!(concat!("../recordings/", $name, "/events.txt.gz")),
            snapshots: include_bytes!(concat!("../recordings/", $name, "/snapshots.tsv.gz")),
        }),*]
    };
}

/// All recordings that are built in.
pub const BUILT_IN: &[Recording] = built_in![
    "w1_simple_update" "w2_savepoints" "w3_overflow" "w4_prepared" "w5_many_open"
    "w6_wraparound" "w7_crash" "w8_mixed" "w11_every_record" "big_300k"
];

/// A folder lacks a file that a recording has.
#[derive(Debug)]
pub struct Incomplete {
    folder: PathBuf,
    lacks: &'static str,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Incomplete { folder, lacks } = self;
        write!(f, "{}: expected a file {lacks} or {lacks}.gz in this folder", folder.display())
    }
}

impl std::error::Error for Incomplete {}

impl Recording {
    /// The recording in a folder: `events.txt` and `snapshots.tsv`, each plain or with `.gz` behind its name.
    ///
    /// # Errors
    ///
    /// One of the two is not there.
    pub fn in_folder(folder: &Path) -> Result<Self, Incomplete> {
        let find = |file: &'static str| {
            let plain = folder.join(file);
            let gzip = folder.join(format!("{file}.gz"));
            [plain, gzip]
                .into_iter()
                .find(|path| path.is_file())
                .ok_or(Incomplete { folder: folder.into(), lacks: file })
        };
        Ok(Recording::Folder {
            folder: folder.into(),
            events: find("events.txt")?,
            snapshots: find("snapshots.tsv")?,
        })
    }

    /// Its name: the folder's last part.
    pub fn name(&self) -> String {
        match self {
            Recording::BuiltIn { name, .. } => (*name).into(),
            Recording::Folder { folder, .. } => match folder.file_name() {
                Some(name) => name.to_string_lossy().into_owned(),
                None => folder.display().to_string(),
            },
        }
    }

    /// Reads its events.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub fn events(&self) -> Result<TraceReader, TraceError> {
        match self {
            Recording::BuiltIn { name, events, .. } => {
                TraceReader::new(*events, format!("{name}/events.txt.gz"))
            }
            Recording::Folder { events, .. } => TraceReader::open(events),
        }
    }

    /// Reads its snapshots.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub fn snapshots(&self) -> Result<RowReader, TraceError> {
        match self {
            Recording::BuiltIn { name, snapshots, .. } => {
                RowReader::new(*snapshots, format!("{name}/snapshots.tsv.gz"))
            }
            Recording::Folder { snapshots, .. } => RowReader::open(snapshots),
        }
    }
}
