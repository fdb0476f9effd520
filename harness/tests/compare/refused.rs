//! Bad input: one clear message, exit code 2, nothing on standard output.

use std::{fs, path::Path};

use super::{harness, text};

#[test]
fn bad_arguments_end_with_2_and_one_clear_message() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let written = |name: &str, text: &str| {
        let file = folder.join(name);
        fs::write(&file, text).expect("a file");
        file.to_str().expect("UTF-8").to_owned()
    };
    let blocked = written("compare-blocked", "a file where a folder should be");
    let broken = written("broken.toml", "kind = \"page-scan\"\nthreads = [1,\n");
    let own = written("own.toml", "kind = \"sessions\"\nreference = \"lokced-set\"\n");
    let twin = written("mixed.toml", "kind = \"sessions\"\n");
    for (args, says) in [
        (
            &["--threads", "0"][..],
            "expected a number of threads from 1 to 512, cores, or cores-1, not 0",
        ),
        (&["--threads", "1,two"], "expected a number of threads"),
        (
            &["--snapshot", "boolan-array"],
            "no snapshot strategy is called or matches \"boolan-array\"; nearest: boolean-array(",
        ),
        (
            &["--threshold", "mutexx"],
            "no threshold strategy is called or matches \"mutexx\"; nearest: mutex",
        ),
        (
            &["--workload", "pagescan"],
            "no workload is called or matches \"pagescan\"; nearest: page-scan",
        ),
        (
            &["--workload", "*"],
            "harness: no workload is called \"*\", nor is it a regular expression: at character 1: \
             repetition operator missing expression\n",
        ),
        (&["--out", &blocked], "compare-blocked"),
        (&["--workload", &broken], "broken.toml:2: "),
        (
            &["--workload", &own],
            "no snapshot strategy is called or matches \"lokced-set\"; nearest: locked-set",
        ),
        (&["--workload", "no-such.toml"], "no-such.toml: "),
        (&["--workload", "mixed", "--workload", &twin], "a load mixed is there"),
        (
            &["--workload", "page-scan", "--slots", "10"],
            "no load that is chosen has a parameter slots",
        ),
        (&["--slots", "10"], "expected a slot for each session"),
        (&["--read-share", "2"], "expected a number from 0 to 1 for read-share, not 2"),
        (&["--set", "pages"], "expected a parameter and its values"),
        (&["--set", "recording=none"], "expected a recording, one of w1_simple_update"),
        (&["--rate", "0"], "expected operations a second"),
        (&["--duration=-1"], "expected seconds"),
        (&["--duration", "0"], "expected seconds from 0.001 to 3600"),
        (&["--warm-up", "61"], "expected seconds from 0 to 60"),
        (&["--within", "0"], "expected percent from 0.1 to 100"),
        (&["--within", "5"], "cannot be used with"),
        (&["--limit", "0"], "0 is not in 1..=86400"),
        (&["--rounds", "0"], "0 is not in 1..=10000"),
        (
            &["--workload", "replay", "--snapshot", "proc-array"],
            "no load that is chosen suits proc-array(scattered)",
        ),
        (
            &["--workload", "replay", "--reference", "csn$"],
            "csn cannot play a standby, which replay needs",
        ),
        (
            &["--reference", "boolean-array"],
            "expected one snapshot strategy; boolean-array may be ",
        ),
        (&["--save", "a/b"], "expected a name of letters"),
    ] {
        let output = harness(&[&["compare", "--quick"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stdout));
        let message = text(&output.stderr);
        assert!(message.contains(says), "{args:?}: {message}");
        assert_eq!(text(&output.stdout), "", "{args:?}");
    }
}
