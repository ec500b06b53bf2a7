//! The law of what is selected and of the output, in a millisecond: the shipped steps are walked
//! once for each pair of intervals, not for each point.
//!
//! Two facts are used. What follows step 5 depends on the selected length only, so walks that lead
//! to the same covers are walked on together. And which point a place of step 8 stands for depends
//! on the intervals and not on the data, so it is learnt once, by walking to every place, and then
//! looked up.

use super::*;

pub(super) struct QuickLaw {
    /// `P(x)` at x, and `P(⊥)` at the end.
    pub outputs: Vec<Interval>,
    /// By the number of the place, the probabilities of going there and then selecting each of its
    /// points, or of ⊥. A place is a pair of covers and an interval of each; so that this tells all
    /// but the lengths that have the same covers.
    pub selections: Vec<(usize, Vec<Interval>)>,
}

/// `first` and `length` of the second of the outermost covers, which tell the two.
type Covers = (u128, u128);

/// The covers, and what was selected since they were known.
type Place = (Covers, Transcript);

pub(super) struct OutputLaws<'a> {
    mechanism: &'a RecConcave,
    /// The points that the places of step 8 stand for.
    points: HashMap<Place, Vec<Option<u128>>>,
    /// Numbers of places, the same for all qualities.
    numbers: HashMap<Place, usize>,
    /// `e^(rate·score)`, for rates and scores met before.
    weights: Vec<(Rational, HashMap<i64, Interval>)>,
}

impl<'a> OutputLaws<'a> {
    /// Of a mechanism with at least two levels.
    pub fn new(mechanism: &'a RecConcave) -> OutputLaws<'a> {
        assert!(mechanism.levels() >= 2);
        OutputLaws {
            mechanism,
            points: HashMap::new(),
            numbers: HashMap::new(),
            weights: Vec::new(),
        }
    }

    pub fn of(&mut self, quality: &StepFunction, variant: Variant<'_>) -> QuickLaw {
        let mechanism = self.mechanism;
        let size = mechanism.problem.size;
        let mut outputs = vec![Interval::ZERO; size as usize + 1];
        let mut selections: BTreeMap<usize, Vec<Interval>> = BTreeMap::new();
        let mut walk = Branch {
            laws: self,
            variant,
            whole: size.next_power_of_two(),
            met: HashMap::new(),
            path: Vec::new(),
            depth: 0,
            probability: Interval::ONE,
            go_on: None,
            outermost: 0,
            place: None,
            last: None,
        };
        // Steps 1 to 5: the law of the covers, and one way to each.
        let mut ways: BTreeMap<Covers, (Interval, Vec<(usize, usize)>)> = BTreeMap::new();
        loop {
            let stopped = walk.run(mechanism, quality);
            match &walk.place {
                Some((covers, _)) => {
                    let way = walk.path[..walk.depth].to_vec();
                    let place = ways.entry(*covers).or_insert((Interval::ZERO, way));
                    place.0 = place.0 + walk.probability;
                }
                // ⊥ within the recursion.
                None => {
                    assert_eq!(stopped.unwrap(), None);
                    outputs[size as usize] = outputs[size as usize] + walk.probability;
                    let number = walk.laws.number(((0, 0), Vec::new()));
                    let place = selections.entry(number).or_insert(vec![Interval::ZERO]);
                    place[0] = place[0] + walk.probability;
                }
            }
            if !walk.advance(0) {
                break;
            }
        }
        // Steps 6 to 8.
        for (covers, (probability, way)) in ways {
            walk.go_on = Some((covers, probability));
            walk.path = way.clone();
            let mut learnt: HashMap<Place, Vec<Option<u128>>> = HashMap::new();
            loop {
                let output = walk.run(mechanism, quality).unwrap();
                let mut place = walk.place.clone().unwrap();
                let mut add = |output: Option<u128>, p: Interval| {
                    let x = output.map_or(size as usize, |x| x as usize);
                    outputs[x] = outputs[x] + p;
                };
                let selected = match walk.last.take() {
                    Some(last) if walk.laws.points.contains_key(&place) => {
                        let all = last.iter().map(|&(_, p)| walk.probability * p);
                        let all: Vec<Interval> = all.collect();
                        for (&output, &p) in walk.laws.points[&place].iter().zip(&all) {
                            add(output, p);
                        }
                        all
                    }
                    Some(last) => {
                        // The point was taken from the path, and is the last of the transcript.
                        place.1.pop();
                        let points = learnt.entry(place.clone()).or_default();
                        points.push(output);
                        if points.len() == last.len() {
                            walk.laws.points.insert(place.clone(), points.clone());
                        }
                        add(output, walk.probability);
                        vec![walk.probability]
                    }
                    None => {
                        add(output, walk.probability);
                        vec![walk.probability]
                    }
                };
                let number = walk.laws.number(place);
                selections.entry(number).or_default().extend(selected);
                if !walk.advance(way.len()) {
                    break;
                }
            }
        }
        QuickLaw {
            outputs,
            selections: selections.into_iter().collect(),
        }
    }

    fn number(&mut self, place: Place) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(place).or_insert(next)
    }

    /// The closed form `exp(rate·score)/Σ`.
    fn exponential(&mut self, scores: &StepFunction, rate: &Rational) -> Outcomes {
        let known = match self.weights.iter().position(|(known, _)| known == rate) {
            Some(known) => known,
            None => {
                self.weights.push((rate.clone(), HashMap::new()));
                self.weights.len() - 1
            }
        };
        let weights = &mut self.weights[known].1;
        let most = scores.maximum();
        let mut weight = |score: i64| {
            *weights.entry(score - most).or_insert_with(|| {
                Interval::from_rational(&(rate * &Rational::from(score - most))).exp()
            })
        };
        let runs: Vec<(u128, Interval)> = scores
            .runs()
            .map(|run| (run.length, weight(run.value)))
            .collect();
        let total = runs.iter().fold(Interval::ZERO, |sum, &(length, w)| {
            sum + w * Interval::point(length as f64)
        });
        let each = runs.iter();
        let each = each.flat_map(|&(length, w)| core::iter::repeat_n(w / total, length as usize));
        (0..).map(Some).zip(each).collect()
    }
}

/// A walk that stops where the outermost covers are known, or begins there.
struct Branch<'l, 'm, 'v> {
    laws: &'l mut OutputLaws<'m>,
    variant: Variant<'v>,
    /// T' of the outermost level; inner ones are smaller.
    whole: u128,
    /// The laws of selections of this quality, by the path that leads to them.
    met: HashMap<Vec<(usize, usize)>, Outcomes>,
    path: Vec<(usize, usize)>,
    depth: usize,
    probability: Interval,
    /// The covers on the path and their probability, to walk on with; nothing to stop there.
    go_on: Option<(Covers, Interval)>,
    /// How many of the outermost covers were asked for.
    outermost: usize,
    place: Option<Place>,
    /// The law of the latest selection by the exponential mechanism since.
    last: Option<Outcomes>,
}

impl Branch<'_, '_, '_> {
    /// An error that stands for nothing but the stop.
    fn run(
        &mut self,
        mechanism: &RecConcave,
        quality: &StepFunction,
    ) -> Result<Option<u128>, Error> {
        self.depth = 0;
        self.probability = Interval::ONE;
        self.outermost = 0;
        self.place = None;
        self.last = None;
        mechanism.run(quality, self)
    }

    fn take(&mut self, outcomes: &[(Option<u128>, Interval)]) -> Option<u128> {
        if self.depth == self.path.len() {
            self.path.push((0, outcomes.len()));
        }
        let (outcome, probability) = outcomes[self.path[self.depth].0];
        self.depth += 1;
        self.probability = self.probability * probability;
        if let Some((_, transcript)) = &mut self.place {
            transcript.push(outcome);
        }
        outcome
    }

    /// Whether this walk only waits for the second of the outermost covers.
    fn is_past_lengths(&self) -> bool {
        self.outermost > 0 && self.go_on.is_none()
    }

    /// The next path with the same first steps; `false` after the last.
    fn advance(&mut self, fixed: usize) -> bool {
        self.path.truncate(self.depth.max(fixed));
        while self.path.len() > fixed {
            let (choice, count) = self.path.pop().unwrap();
            if choice + 1 < count {
                self.path.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

impl Chance for Branch<'_, '_, '_> {
    fn intervals(
        &mut self,
        scores: &StepFunction,
        first: u128,
        length: u128,
    ) -> Result<StepFunction, QualityError> {
        if scores.size() == self.whole {
            self.outermost += 1;
            match (self.outermost, self.go_on) {
                (1, Some((covers, probability))) => {
                    self.place = Some((covers, Vec::new()));
                    self.probability = probability;
                }
                (2, None) => {
                    self.place = Some(((first, length), Vec::new()));
                    return Err(QualityError::NoLevels);
                }
                _ => {}
            }
        }
        self.variant.intervals(scores, first, length)
    }

    fn exponential(
        &mut self,
        scores: &StepFunction,
        mechanism: &Exponential,
    ) -> Result<u128, Error> {
        if self.is_past_lengths() {
            return Ok(0);
        }
        let path = self.path[..self.depth].to_vec();
        let law = match self.met.get(&path) {
            Some(law) => Rc::clone(law),
            None => {
                let law = self.laws.exponential(scores, mechanism.rate());
                self.met.insert(path, Rc::clone(&law));
                law
            }
        };
        if let Some(place) = &self.place {
            self.last = Some(Rc::clone(&law));
            if self.laws.points.contains_key(place) {
                // Step 8: all places are taken at once.
                return Ok(0);
            }
        }
        Ok(self.take(&law).unwrap())
    }

    fn stable(&mut self, best: u128, gap: &Rational) -> Result<Option<u128>, Error> {
        if self.is_past_lengths() {
            return Ok(Some(best));
        }
        self.last = None;
        let distance = self.variant.distance(gap);
        let mechanism = self.laws.mechanism;
        let cut = mechanism.stability.as_ref().unwrap().cut();
        let stable = stable_probability(&distance, cut, mechanism.epsilon.get());
        Ok(self.take(&[(Some(best), stable), (None, Interval::ONE - stable)]))
    }
}

#[test]
fn the_quick_law_is_that_of_walking_to_every_point() {
    for (size, levels, selection, base_size) in [
        (64, 2, IntervalSelection::Exponential, 32),
        (50, 2, IntervalSelection::Exponential, 4),
        (64, 2, stability(), 32),
        (20, 3, IntervalSelection::Exponential, 2),
        (50, 3, stability(), 2),
    ] {
        let mechanism = mechanism(size, levels, 5, "1.5", selection, base_size);
        let mut quick = OutputLaws::new(&mechanism);
        // The second and third meet places that are already learnt.
        for data in [[3, 3, 9, 19, 19], [0, 1, 1, 1, 17], [18, 18, 18, 2, 7]] {
            let quality = depth(&data, size);
            let slow = outputs(&law(&mechanism, &quality, Variant::AsShipped));
            let found = quick.of(&quality, Variant::AsShipped);
            let selected = found.selections.iter().flat_map(|(_, p)| p);
            let total = selected.fold(Interval::ZERO, |sum, &p| sum + p);
            assert!(total.contains(1.0) && total.width().get() < 1e-11);
            for (output, &p) in found.outputs.iter().enumerate() {
                let output = Some(output as u128).filter(|&x| x < size);
                let slow = slow.get(&output).copied().unwrap_or(Interval::ZERO);
                assert!(
                    slow.lo() <= p.hi() && p.lo() <= slow.hi() && p.width().get() < 1e-11,
                    "{output:?}: {p} against {slow}"
                );
            }
        }
    }
}
