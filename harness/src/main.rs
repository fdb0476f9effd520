//! Holds snapshot strategies against what a real PostgreSQL standby computed.

use std::process::ExitCode;

mod allocator;

/// `replay` tells how many bytes a strategy holds.
#[global_allocator]
static COUNTING: allocator::Counting = allocator::Counting;

fn main() -> ExitCode {
    harness::cli::main()
}
