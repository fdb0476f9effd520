//! Holds snapshot strategies against what a real PostgreSQL standby computed.

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::cli::main()
}
