//! An unchanged take, seen from inside.

use snapshot_api::Snapshot;

use super::*;

/// Were the root looked at, it would show: it is changed here behind the number's back.
#[test]
fn an_unchanged_take_looks_at_the_number_alone() {
    let bitmap = HierarchicalBitmap::restore(&(), Xid::new(9), &[]).expect("nothing is bounded");
    let mut value = bitmap.snapshot();
    bitmap.take(&mut value);
    let right = bitmap.root.swap(Arc::new(Edition::empty()));
    bitmap.begin(SessionId::new(0), Xid::new(10)).expect("in order");
    bitmap.take(&mut value);
    assert_eq!(value.xmax(), Xid::new(10), "a begin publishes nothing");
    bitmap.root.swap(right);
    bitmap.end(SessionId::new(0), &[Xid::new(10)]);
    bitmap.take(&mut value);
    assert_eq!(value.xmax(), Xid::new(11));
}
