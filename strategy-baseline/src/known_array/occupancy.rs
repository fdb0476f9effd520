//! [`Occupancy`]: how many places there are, and how many are in use.

/// How full a [`KnownArray`](super::KnownArray) is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Occupancy {
    /// Places from the lowest running id to the highest that was begun: what a reader walks over.
    pub span: usize,
    /// How many of them hold a running id.
    pub valid: usize,
    /// How many places are allocated.
    pub allocated: usize,
    /// How often gaps were closed since the array was made.
    pub compactions: u64,
}
