//! How a log is set up.

/// In which order ids are begun.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BeginOrder {
    /// In any order, by any number of threads: ids come from a counter, without a lock. An id that was handed out and is
    /// not begun yet counts as running, so every id that is handed out has to be ended some day.
    #[default]
    Any,
    /// Each one above all before it. An id that is passed over counts as ended, and one that comes late is refused.
    Rising,
}

/// How a log is set up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CsnConfig {
    /// In which order ids are begun.
    pub begin: BeginOrder,
}
