//! What every measurement of a snapshot strategy needs: a load, and yardsticks. Feature `measure`, which depends on nothing.
//!
//! [`Churn`] makes transactions that come and go while their number and their spread stay the same, [`Busy`] is an instance
//! under that load with each operation as one timed batch, [`Yardsticks`] are the cheapest things that could do part of the
//! work. Ratios within one run are what counts: machines differ, and one machine differs from minute to minute.
//!
//! ```
//! use snapshot_api::{Xid, measure::{Busy, Distribution, Yardstick, Yardsticks}};
//! # use snapshot_api::dev::models::LockedSet as AnyStrategy;
//!
//! let mut busy = Busy::<AnyStrategy>::new(&(), 1_000, 50, Distribution::Clustered)?;
//! busy.turns(1_000)?;
//! busy.check()?;
//! let mut yardsticks = Yardsticks::new(busy.running(), vec![Xid::new(7)]);
//! let (with, without) = busy.fresh(64)?;
//! let list = yardsticks.time(Yardstick::Copy, 64);
//! println!("{:?} for 64 takes, {list:?} for as many copies", with.saturating_sub(without));
//! # Ok::<(), snapshot_api::measure::Fault>(())
//! ```

mod busy;
mod churn;
mod yardstick;

pub use busy::{Busy, Fault, Stream};
pub use churn::{Churn, Distribution, Turn};
pub use yardstick::{Yardstick, Yardsticks};
