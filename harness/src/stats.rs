//! Medians, and where a ratio lies.
//!
//! Rounds of a measurement scatter, some far: a mean follows those, and a median of a few leaves most of what they say unused.
//! The middle of all means of two (Hodges and Lehmann, 1963) does neither: where rounds scatter evenly, ten rounds tell as much
//! as sixteen with the median. Its interval counts such means from both ends; how many is what Wilcoxon's signed-rank test
//! needs to reject a value (Hollander and Wolfe, *Nonparametric Statistical Methods*). Nothing is drawn by chance: the same
//! rounds give the same interval.

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

/// Where values lie, and the interval that holds that in 95 of 100 cases. Of fewer than six values no such interval can be told,
/// and it reaches from the least to the most of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Estimate {
    pub(crate) middle: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Estimate {
    /// Half of the interval, as a part of the middle.
    pub(crate) fn within(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.middle.abs().max(f64::MIN_POSITIVE)
    }
}

/// Of no value all are 0.
pub(crate) fn estimate(values: &[f64]) -> Estimate {
    let pairs = values.iter().enumerate();
    let mut means: Vec<f64> = pairs
        .flat_map(|(place, one)| values[place..].iter().map(move |two| (one + two) / 2.0))
        .collect();
    let middle = median(&mut means);
    let (Some(least), Some(most)) = (means.first(), means.last()) else {
        return Estimate { middle, low: 0.0, high: 0.0 };
    };
    // Means that the interval leaves out at each end.
    let out = left_out(values.len());
    let at = |place: usize, otherwise: f64| means.get(place).copied().unwrap_or(otherwise);
    Estimate { middle, low: at(out, *least), high: at(means.len() - 1 - out, *most) }
}

/// How many means lie below the interval of so many values, and as many above: the rank sum that is less than 2.5% likely, as
/// the normal distribution has it.
fn left_out(values: usize) -> usize {
    const SIGMAS: f64 = 1.96;
    let n = values as f64;
    let (mean, variance) = (n * (n + 1.0) / 4.0, n * (n + 1.0) * (2.0 * n + 1.0) / 24.0);
    // Below 1 for five values and fewer.
    (mean - SIGMAS * variance.sqrt()).max(1.0) as usize - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&mut []), 0.0);
    }

    #[test]
    fn the_middle_of_all_means_of_two() {
        let of = |values: &[f64]| {
            let Estimate { middle, low, high } = estimate(values);
            [low, middle, high]
        };
        assert_eq!(of(&[]), [0.0; 3]);
        assert_eq!(of(&[2.0]), [2.0; 3]);
        assert_eq!(of(&[2.0; 9]), [2.0; 3]);
        // 1, 2, 4 and the means 1.5, 2.5, 3.
        assert_eq!(of(&[4.0, 1.0, 2.0]), [1.0, 2.25, 4.0]);
        // One that is far off moves it by little.
        let [low, middle, high] = of(&[1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 90.0]);
        assert!(
            (0.9..=1.1).contains(&middle) && low >= 0.9 && high > 40.0,
            "{low} {middle} {high}"
        );
    }

    /// What tables of the signed-rank test have for a two-sided 5%, one more than the sum that is still rejected; where the
    /// normal distribution leaves out one mean fewer the interval is a little wider.
    #[test]
    fn as_many_means_are_left_out_as_the_test_says() {
        for (values, rejected) in
            [(6, 0), (7, 2), (8, 3), (9, 5), (10, 8), (11, 10), (15, 25), (25, 89)]
        {
            let out = left_out(values);
            assert!(out <= rejected && out + 2 > rejected, "{values}: {out}, {rejected}");
        }
        assert_eq!([0, 1, 2, 5].map(left_out), [0; 4], "from the least to the most");
    }

    #[test]
    fn the_interval_as_a_part() {
        let within = |low, middle, high| Estimate { low, middle, high }.within();
        assert!((within(1.9, 2.0, 2.1) - 0.05).abs() < 1e-9);
        assert_eq!(within(0.0, 1.0, 0.0), 0.0);
    }

    /// 95 of 100 intervals hold the middle that the values scatter around.
    #[test]
    fn intervals_hold_what_they_say() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut around = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        for rounds in [6, 11, 30] {
            let mut draw = || (0..rounds).map(|_| around()).collect::<Vec<f64>>();
            let holds = |values: Vec<f64>| {
                let Estimate { low, high, .. } = estimate(&values);
                low <= 0.0 && 0.0 <= high
            };
            let held = (0..2_000).filter(|_| holds(draw())).count();
            assert!((1_870..=1_970).contains(&held), "{rounds} rounds: {held} of 2000");
        }
    }
}
