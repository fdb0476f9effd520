//! Medians and their intervals.

/// The middle one, or the mean of the two in the middle; 0 where there is none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values {
        [] => 0.0,
        _ if values.len().is_multiple_of(2) => (values[middle - 1] + values[middle]) / 2.0,
        _ => values[middle],
    }
}

/// A median and the interval that holds it in 95 of 100 draws of as many values with replacement (percentile bootstrap).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Estimate {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

pub(crate) fn estimate(values: &[f64]) -> Estimate {
    const DRAWS: usize = 1_000;
    let mut random = fastrand::Rng::with_seed(7);
    let mut draw = || {
        let mut drawn: Vec<f64> =
            (0..values.len()).filter_map(|_| random.choice(values)).copied().collect();
        median(&mut drawn)
    };
    let mut medians: Vec<f64> = (0..DRAWS).map(|_| draw()).collect();
    medians.sort_by(f64::total_cmp);
    let at = |share: f64| medians[(share * (DRAWS - 1) as f64).round() as usize];
    Estimate { median: median(&mut values.to_vec()), low: at(0.025), high: at(0.975) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_their_intervals() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&mut []), 0.0);
        let same = estimate(&[2.0; 9]);
        assert_eq!((same.low, same.median, same.high), (2.0, 2.0, 2.0));
        let spread = estimate(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(spread.median, 5.0);
        assert!(spread.low < 5.0 && spread.low >= 1.0 && spread.high > 5.0 && spread.high <= 9.0);
    }
}
