//! The tables in the READMEs are what the committed results say.

use std::{path::Path, process::Command};

#[test]
fn tables_have_not_drifted_from_the_committed_results() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (file, name, loads) in [
        ("../README.md", "page-scan", "page-scan"),
        ("../README.md", "standby", "standby-long-transaction"),
        ("README.md", "others", "select-only|mixed|simple-update|replay"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_harness"))
            .args(["report", "--check", "--as", name, "--workload", loads, "--splice"])
            .args([here.join(file), here.join("results")])
            .output()
            .expect("the program starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{file} {name}: {message}");
    }
}
