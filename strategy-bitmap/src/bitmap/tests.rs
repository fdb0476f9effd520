//! An unchanged take, seen from inside.

use snapshot_api::Snapshot;

use super::*;

/// Were the state looked at, it would show: it is changed here behind the version's back.
#[test]
fn an_unchanged_take_looks_at_the_version_alone() {
    let bitmap = Bitmap::restore(&BitmapConfig::default(), Xid::new(9), &[]).expect("wide enough");
    let mut value = bitmap.snapshot();
    bitmap.take(&mut value);
    bitmap.state.write().latest_completed = Xid::new(50);
    bitmap.begin(SessionId::new(0), Xid::new(51)).expect("in order");
    bitmap.take(&mut value);
    assert_eq!(value.xmax(), Xid::new(10));
    bitmap.complete(Xid::new(20));
    bitmap.take(&mut value);
    assert_eq!(value.xmax(), Xid::new(51));
}
