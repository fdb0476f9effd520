//! [`HorizonHolder`]: who keeps the horizon from rising.

use std::{fmt, sync::Arc, time::Duration};

use crate::{SessionId, Xid};

/// What holds the horizon back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Held {
    /// A snapshot: in a transaction, or shared and kept.
    Snapshot,
    /// An open transaction that has an id.
    Transaction,
    /// A prepared transaction of this name; also one that was stranded.
    Prepared(String),
}

/// Somebody who keeps the horizon from rising above `xmin`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HorizonHolder {
    /// The session that took the snapshot or began the transaction.
    pub session: SessionId,
    /// How that session calls itself.
    pub label: Option<Arc<str>>,
    /// What holds it.
    pub held: Held,
    /// Nothing that ended at or above this id may be removed.
    pub xmin: Xid,
    /// How many ids have been handed out from xmin on.
    pub transactions: u64,
    /// How long it has lasted, give or take one interval of [`tick`](crate::TransactionManager::tick)s.
    pub age: Duration,
}

impl fmt::Display for HorizonHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session {}", self.session)?;
        if let Some(label) = &self.label {
            write!(f, " ({label})")?;
        }
        let (xmin, transactions, age) = (self.xmin, self.transactions, self.age);
        match &self.held {
            Held::Snapshot => write!(f, " holds a snapshot with xmin {xmin}")?,
            Held::Transaction => write!(f, " has transaction {xmin} open")?,
            Held::Prepared(name) => write!(f, " left transaction {xmin} prepared as {name:?}")?,
        }
        write!(f, ", {transactions} transactions and {age:.1?} old")
    }
}
