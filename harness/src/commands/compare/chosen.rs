//! Which cells the command line asks for.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
    rc::Rc,
    thread,
};

use super::Args;
use crate::{
    cli::Failure,
    compare::{cell::Cell, plan::Group},
    loads::{Definition, LoadError, Point, built_in, names},
    names::chosen,
    registry::{PEERS, THRESHOLDS, snapshots, usual},
    results::row::EMPTY,
};

/// What the others are multiples of, where neither the command line nor a load says it.
const REFERENCE: &str = "boolean-array(original)";

/// What the command line asks for.
pub(super) struct Asked {
    /// The cells under each point of each load; the reference comes first.
    pub(super) groups: Vec<Group>,
    /// The reference of the loads that have none of their own.
    pub(super) reference: Pair,
    /// What each load does, by its name.
    pub(super) about: BTreeMap<String, String>,
}

/// Finds out what the command line asks for.
pub(super) fn asked(args: &Args) -> Result<Asked, Failure> {
    let mut definitions = definitions(&args.workloads)?;
    args.overrides().apply(&mut definitions)?;
    let known = || snapshots().into_iter().chain(PEERS.iter().copied());
    let one = |place: &str, word: &str| {
        only("snapshot strategy", place, word, &known().collect::<Vec<_>>())
    };
    let threshold =
        only("threshold strategy", "--reference-threshold", &args.reference_threshold, THRESHOLDS)?;
    let given = args.reference.as_deref();
    let reference = (one("--reference", given.unwrap_or(REFERENCE))?, threshold);
    let snapshots = match (args.snapshots.is_empty(), args.all) {
        (true, false) => usual().into_iter().chain(PEERS.iter().copied()).collect(),
        _ => chosen("snapshot strategy", &args.snapshots, &known().collect::<Vec<_>>())?,
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut groups = Vec::new();
    for definition in &definitions {
        let reference = match (given, &definition.reference) {
            (None, Some(own)) => {
                (one(&format!("reference of {}", definition.name), own)?, threshold)
            }
            _ => reference,
        };
        let pairs = pairs(args, definition, reference, &snapshots)?;
        for point in definition.points(cores)? {
            groups.push(group(Rc::new(point), &pairs, reference)?);
        }
    }
    none_is_lost(args, &snapshots, &groups)?;
    let about = definitions.into_iter().map(|load| (load.name, load.about)).collect();
    Ok(Asked { groups, reference, about })
}

/// The loads that are asked for; all that are built in where none is.
fn definitions(words: &[String]) -> Result<Vec<Definition>, Failure> {
    let is_file = |word: &&String| Path::new(word).extension().is_some_and(|end| end == "toml");
    let (files, words): (Vec<_>, Vec<_>) = words.iter().partition(is_file);
    let words: Vec<String> = words.into_iter().cloned().collect();
    let mut definitions = Vec::new();
    if files.is_empty() || !words.is_empty() {
        let names = chosen("workload", &words, &names())?;
        definitions.extend(names.into_iter().filter_map(built_in));
    }
    for file in files {
        let definition = Definition::read(Path::new(file))?;
        if definitions.iter().any(|other| other.name == definition.name) {
            let expected = format!("expected another name: a load {} is there", definition.name);
            return Err(LoadError::at(file.as_str(), expected).into());
        }
        definitions.push(definition);
    }
    Ok(definitions)
}

/// The one strategy that a word means.
fn only(
    kind: &'static str,
    option: &str,
    word: &str,
    known: &[&'static str],
) -> Result<&'static str, Failure> {
    // As it is typed: a name without its variant may be a name too.
    if let Some(&one) = known.iter().find(|name| **name == word) {
        return Ok(one);
    }
    match chosen(kind, &[word.to_owned()], known)?[..] {
        [one] => Ok(one),
        ref many => {
            let expected = format!("expected one {kind}; {word} may be {}", many.join(", "));
            Err(LoadError::at(option, expected).into())
        }
    }
}

/// A snapshot strategy and a threshold strategy.
pub(super) type Pair = (&'static str, &'static str);

/// The pairings of a load: the reference first, what does nothing last.
fn pairs(
    args: &Args,
    definition: &Definition,
    reference: Pair,
    snapshots: &[&'static str],
) -> Result<Vec<Pair>, Failure> {
    let words = match (&args.thresholds[..], args.all) {
        ([], true) => &[],
        ([], false) => &definition.thresholds[..],
        (words, _) => words,
    };
    let thresholds = chosen("threshold strategy", words, THRESHOLDS)?;
    // Strategies from elsewhere are there for comparison: one pairing of each does, unless they are asked for.
    let everything = args.all || !args.snapshots.is_empty();
    let mut pairs = vec![reference];
    for &snapshot in snapshots {
        let few = PEERS.contains(&snapshot) && !everything;
        let thresholds = if few { &thresholds[..1] } else { &thresholds[..] };
        let paired = thresholds.iter().map(|&threshold| (snapshot, threshold));
        pairs.extend(paired.filter(|pair| *pair != reference));
    }
    pairs.push((EMPTY, reference.1));
    Ok(pairs)
}

fn group(point: Rc<Point>, pairs: &[Pair], reference: Pair) -> Result<Group, Failure> {
    let mut cells = Vec::new();
    for &(snapshot, threshold) in pairs {
        cells.extend(Cell::new(&point, snapshot, threshold)?);
    }
    let first = cells.first();
    if first.is_none_or(|cell| (cell.snapshot, cell.threshold) != reference) {
        let (load, snapshot) = (&point.name, reference.0);
        let expected = format!("{snapshot} cannot play a standby, which {load} needs");
        return Err(LoadError::at("--reference", expected).into());
    }
    Ok(Group { point, cells })
}

/// A strategy that was asked for and fits none of the loads would go unnoticed.
fn none_is_lost(args: &Args, snapshots: &[&str], groups: &[Group]) -> Result<(), LoadError> {
    if args.snapshots.is_empty() {
        return Ok(());
    }
    let cells = groups.iter().flat_map(|group| &group.cells);
    let measured: HashSet<&str> = cells.map(|cell| cell.snapshot).collect();
    if snapshots.iter().any(|snapshot| measured.contains(snapshot)) {
        return Ok(());
    }
    let expected = format!(
        "no load that is chosen suits {}, which cannot play a standby",
        snapshots.join(", ")
    );
    Err(LoadError::at("--snapshot", expected))
}
