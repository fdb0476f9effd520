//! The designs that both reports on standbys compare, sized for so many connections.
//!
//! An array's snapshot may be kept while nothing has ended since (`+reuse`, as in 14 and later) or not (up to 13). The lists of
//! the thread always keep theirs, so that each array is compared with what does the same.

use std::rc::Rc;

use strategy_baseline::{BooleanArray, BooleanArrayConfig, CompactionRule};
use strategy_bitmap::{Bitmap, BitmapConfig};
use strategy_csn::{BeginOrder, CsnConfig, CsnLog};
use strategy_linkedlist::{LinkedList, ListConfig, SkipOffsets};

use super::spans::sized;
use crate::{
    compare::{cell::Cell, plan::Group},
    loads::{LoadError, Point},
    registry::Unknown,
};

/// No threshold: the reports set none.
pub(super) const OFF: &str = "off";
/// What the thread ran on 13.
pub(super) const ORIGINAL: &str = "boolean-array(original)";
/// What 15.1 is.
pub(super) const REUSE: &str = "boolean-array(original+reuse)";
/// The rule of 15.2 alone.
pub(super) const SINCE: &str = "boolean-array(15.2)";
/// The thread's first try.
pub(super) const BITMAP: &str = "bitmap";
/// The thread's patch.
pub(super) const LIST: &str = "linked-list";
/// The benchmark mail's patch.
pub(super) const OFFSETS: &str = "skip-offsets";
/// No list at all.
pub(super) const CSN: &str = "csn(rising)";

/// All of them under a point; the original array is what the others are multiples of.
pub(super) fn group(point: &Rc<Point>, connections: usize) -> Result<Group, LoadError> {
    let cells = cells(point, connections);
    let cells = cells.map_err(|unknown| LoadError::at(&*point.name, unknown.to_string()))?;
    Ok(Group { point: Rc::clone(point), cells })
}

fn cells(point: &Rc<Point>, connections: usize) -> Result<Vec<Cell>, Unknown> {
    let original = sized(CompactionRule::Original, connections);
    let since = sized(CompactionRule::Since15_2, connections);
    let reuse = BooleanArrayConfig { reuse: true, ..original };
    let list = ListConfig { processes: original.processes, ..ListConfig::default() };
    let rising = CsnConfig { begin: BeginOrder::Rising };
    Ok(vec![
        Cell::of::<BooleanArray>(point, (ORIGINAL, OFF), original)?,
        Cell::of::<BooleanArray>(point, (REUSE, OFF), reuse)?,
        Cell::of::<BooleanArray>(point, (SINCE, OFF), since)?,
        Cell::of::<Bitmap>(point, (BITMAP, OFF), BitmapConfig::default())?,
        Cell::of::<LinkedList>(point, (LIST, OFF), list)?,
        Cell::of::<SkipOffsets>(point, (OFFSETS, OFF), list)?,
        Cell::of::<CsnLog>(point, (CSN, OFF), rising)?,
    ])
}
