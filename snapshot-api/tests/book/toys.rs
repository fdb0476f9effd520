//! Strategies with one seeded bug each.

pub(crate) mod locked;
pub(crate) mod numbers;
pub(crate) mod spinning;
pub(crate) mod threshold;
pub(crate) mod walk;
