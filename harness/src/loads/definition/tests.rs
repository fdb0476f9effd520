use super::*;
use crate::loads::What;

#[test]
fn what_is_built_in_has_every_parameter_and_its_default() {
    for (name, text) in BUILT_IN {
        let definition = Definition::parse(name, name, text).expect(name);
        assert_eq!(definition.name, *name);
        assert!(!definition.about.is_empty() && !definition.report.is_empty(), "{name}");
        let listed: Vec<&str> = definition.parameters.keys().copied().collect();
        let mut known: Vec<&str> =
            definition.kind.parameters().iter().map(|spec| spec.name).collect();
        known.sort_unstable();
        assert_eq!(listed, known, "{name}: a file to copy from shows them all");
        assert_eq!(definition.points(2).expect(name).len(), 1);
    }
    assert!(built_in("page-scan").is_some() && built_in("pagescan").is_none());
}

#[test]
fn a_file_with_no_more_than_its_kind_is_enough() {
    for kind in Kind::ALL {
        let text = format!("kind = \"{kind}\"");
        let definition = Definition::parse("mine", "mine.toml", &text).expect("the rest is known");
        let points = definition.points(8).expect("defaults suit each other");
        assert_eq!((points.len(), points[0].threads, points[0].millis), (1, 8, 100));
        assert_eq!(points[0].what.kind(), kind);
        assert_eq!(points[0].parameters.len(), kind.parameters().len());
    }
}

#[test]
fn values_of_a_file_reach_the_load() {
    let text = "kind = \"sessions\"\nthreads = [1, \"cores-1\"]\nthresholds = [\"off\", \"mutex\"]\nmillis = 5\n\
                [parameters]\nread-share = [0, 0.5]\nslots = 30\nrunning = 2\n";
    let definition = Definition::parse("mine", "mine.toml", text).expect("right");
    assert_eq!(definition.thresholds, ["off", "mutex"]);
    let points = definition.points(4).expect("they fit");
    let told: Vec<_> = points
        .iter()
        .map(|point| match &point.what {
            What::Sessions(load) => (point.threads, load.read_share, load.slots, load.running),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(told, [(1, 0.0, 30, 2), (1, 0.5, 30, 2), (3, 0.0, 30, 2), (3, 0.5, 30, 2)]);
}

fn refused(text: &str) -> String {
    let definition = Definition::parse("mine", "mine.toml", text);
    let points = definition.and_then(|definition| definition.points(2));
    points.map(|points| points.len()).expect_err(text).to_string()
}

#[test]
fn whatever_is_wrong_is_said_with_its_line() {
    for (text, says) in [
        ("kind = \"page-scan", "mine.toml:1: invalid basic string"),
        ("kind = \"page-scan\"\nthread = 2\n", "mine.toml:2: unknown field `thread`"),
        ("threads = 2\n", "missing field `kind`"),
        (
            "kind = \"pages\"\n",
            "mine.toml:1: expected one of page-scan, standby, sessions, replay, not \"pages\"",
        ),
        (
            "kind = \"page-scan\"\nthreads = 0\n",
            "mine.toml:2: expected a number of threads from 1 to 512",
        ),
        (
            "kind = \"page-scan\"\n\nthreads = [1, \"two\"]\n",
            "mine.toml:3: expected a number of threads",
        ),
        (
            "kind = \"page-scan\"\nmillis = 0\n",
            "mine.toml:2: expected from 1 to 3600000 milliseconds, not 0",
        ),
        (
            "kind = \"page-scan\"\n[parameters]\nslots = 2\n",
            "mine.toml:3: mine has no parameter \"slots\"; it has page-work, pages, running, pause, age",
        ),
        (
            "kind = \"page-scan\"\n[parameters]\npage-work = [61, 1]\n",
            "mine.toml:3: expected a whole number from 2 to 10000 for page-work, not 1",
        ),
        (
            "kind = \"page-scan\"\n[parameters]\npage-work = 2.5\n",
            "mine.toml:3: expected a whole number from 2 to 10000 for page-work, not 2.5",
        ),
        (
            "kind = \"page-scan\"\n[parameters]\npages = \"many\"\n",
            "mine.toml:3: expected a number for pages, not \"many\"",
        ),
        (
            "kind = \"page-scan\"\n[parameters]\npages = []\n",
            "mine.toml:3: expected a value for pages",
        ),
        (
            "kind = \"sessions\"\n[parameters]\nread-share = nan\n",
            "mine.toml:3: expected a number from 0 to 1 for read-share, not NaN",
        ),
        (
            "kind = \"sessions\"\nthreads = 9\n[parameters]\nslots = 20\n",
            "mine: expected a slot for each session: 9 threads, 0 writers, 16 running and the maker of a window of 0 need 25, \
             there are 20 slots",
        ),
        (
            "kind = \"replay\"\n[parameters]\nrecording = 3\n",
            "mine.toml:3: expected a name for recording, not 3",
        ),
        (
            "kind = \"replay\"\n[parameters]\nrecording = \"big\"\n",
            "mine: expected a recording, one of w1_simple_update, ",
        ),
        (
            "kind = \"page-scan\"\nthreads = [1,2,3,4,5,6,7,8,9,10,11]\n[parameters]\npages = [1,2,3,4,5,6,7,8,9,10,\
             11,12,13,14,15,16,17,18,19]\n",
            "mine: expected 200 combinations of values at most, not 209",
        ),
    ] {
        let message = refused(text);
        assert!(message.contains(says), "{text}\n{message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Definition::read(Path::new("no/such.toml")).expect_err("nothing is there");
    assert!(error.to_string().starts_with("no/such.toml: "), "{error}");
}
