use super::*;
use crate::loads::{What, built_in};

fn definitions(names: &[&str]) -> Vec<Definition> {
    names.iter().map(|name| built_in(name).expect("built in")).collect()
}

fn overrides(parameters: &[(&str, &str)]) -> Overrides {
    let parameters =
        parameters.iter().map(|(name, list)| ((*name).into(), (*list).into())).collect();
    Overrides { parameters, ..Overrides::default() }
}

#[test]
fn a_parameter_goes_to_every_load_that_has_it() {
    let mut loads = definitions(&["page-scan", "mixed", "select-only"]);
    let change = Overrides {
        threads: Some(vec![Threads::Number(3), Threads::CoresLess(0)]),
        millis: Some(7),
        ..overrides(&[("slots", "100, 400"), ("running", "5")])
    };
    change.apply(&mut loads).expect("two of them have slots");
    let points: Vec<Vec<Point>> =
        loads.iter().map(|load| load.points(8).expect("they fit")).collect();
    assert_eq!(points.iter().map(Vec::len).collect::<Vec<_>>(), [2, 4, 4]);
    assert_eq!(points[0].iter().map(|point| point.threads).collect::<Vec<_>>(), [3, 8]);
    assert!(points.iter().flatten().all(|point| point.millis == 7));
    for point in points.iter().flatten() {
        assert_eq!(point.parameters["running"], Parameter::Number(5.0));
    }
    let slots: Vec<_> = points[1].iter().map(|point| &point.parameters["slots"]).collect();
    let [few, many] = [100.0, 400.0].map(Parameter::Number);
    assert_eq!(slots, [&few, &many, &few, &many]);
    assert!(matches!(points[1][1].what, What::Sessions(load) if load.slots == 400));
}

#[test]
fn what_no_load_has_is_refused() {
    let refused = |names: &[&str], parameters: &[(&str, &str)]| {
        let error = overrides(parameters).apply(&mut definitions(names));
        error.expect_err("it is refused").to_string()
    };
    assert_eq!(
        refused(&["page-scan"], &[("slots", "200")]),
        "--slots 200: no load that is chosen has a parameter slots: page-scan has page-work, pages, running, pause, age"
    );
    assert_eq!(
        refused(&["mixed"], &[("slots", "200,0")]),
        "--slots 200,0: expected a whole number from 1 to 1000 for slots, not 0"
    );
    assert!(refused(&["mixed"], &[("read-share", "half")]).ends_with("not \"half\""));
    assert!(refused(&["mixed"], &[("read-share", "0,,1")]).ends_with("not \"\""));
}

#[test]
fn the_same_value_twice_is_one_point() {
    let mut loads = definitions(&["mixed"]);
    let change = Overrides {
        threads: Some(vec![Threads::Number(2), Threads::CoresLess(0)]),
        ..overrides(&[("read-share", "0.5,0.50")])
    };
    change.apply(&mut loads).expect("right");
    assert_eq!(loads[0].points(2).expect("they fit").len(), 1);
}
