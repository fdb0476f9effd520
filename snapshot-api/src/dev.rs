//! dev
pub mod models;
