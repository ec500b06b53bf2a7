//! Random programs, formats and inputs, and whether the judgement held for them.

use lastbit_exact::{Dyadic, Enclosure, Format, Integer, Rational};
use lastbit_testing::Cases;
use lastbit_verify::language::{
    Assignment, Distribution, Expr, ExprKind, OperationArithmetic, Operator, Parameter, Position,
    Program, Statement, Ties, UniformShape, WellFormed, Zero,
};
use lastbit_verify::semantics::{Boxes, Inputs, Instance};

/// What a number of random cases came to.
#[derive(Debug, Default)]
pub struct Tally {
    /// Programs whose judgement was derived and held at every variable.
    pub held: u64,
    /// Intervals that were looked at.
    pub intervals: u64,
    /// Programs without a judgement: a divisor's interval holds 0, or a logarithm's argument is not
    /// positive.
    pub without: u64,
    /// The first program whose judgement did not hold.
    pub miss: Option<String>,
}

/// Random cases from a seed until `count` judgements were derived; stops at the first that does not
/// hold.
pub fn run(seed: u64, count: u64, mut progress: impl FnMut(u64)) -> Tally {
    let mut random = Cases(seed);
    let mut tally = Tally::default();
    while tally.held < count && tally.miss.is_none() {
        let before = tally.held;
        one(&mut random, &mut tally);
        if tally.held > before {
            progress(tally.held);
        }
    }
    tally
}

fn one(random: &mut Cases, tally: &mut Tally) {
    let program = Generator { random }.program();
    let well_formed = WellFormed::new(program).expect("random programs are well-formed");
    let instance = Instance::new(well_formed, &Default::default()).expect("defaults are set");
    // Half of the formats are short, where every rounding is large.
    let precision = if random.one_in(2) {
        3 + random.below(10)
    } else {
        3 + random.below(198)
    };
    let format = Format::new(precision as u32).expect("3 to 200 is a precision");
    let (boxes, inputs) = boxes_and_point(random, precision);
    let Ok(judgement) = instance.judge(format, &boxes) else {
        tally.without += 1;
        return;
    };
    let run = match instance.floating(format, &inputs) {
        Ok(run) => run,
        // fl(ln(u) - ln(u)): no number of bits tells that this is 0.
        Err(error) if error.to_string().contains("bits do not tell") => {
            tally.without += 1;
            return;
        }
        Err(error) => {
            tally.miss = Some(format!(
                "{error} at {inputs:?}, p = {precision}:\n{}",
                instance.program()
            ));
            return;
        }
    };
    let mut miss = |what: &str, value: &dyn std::fmt::Debug, enclosure: &Enclosure| {
        tally.miss = Some(format!(
            "{what} is {value:?}, outside {enclosure:?}, at {inputs:?}, p = {precision}:\n{}",
            instance.program()
        ));
    };
    for (name, derivation) in &judgement.variables {
        tally.intervals += 1;
        // A variable of a real expression has no floating value.
        if let Some(value) = run.variables.get(*name)
            && !derivation.enclosure.contains(&value.number)
        {
            return miss(name, value, &derivation.enclosure);
        }
    }
    let result = &judgement.result.enclosure;
    tally.intervals += 1;
    if !result.contains(&run.result.number) {
        return miss("the result", &run.result, result);
    }
    if random.one_in(4)
        && let Ok(real) = instance.real(&inputs, 40)
        && (real.hi() < result.lo() || real.lo() > result.hi())
    {
        return miss("the real value", &real, result);
    }
    tally.held += 1;
}

/// A number of about `bits` bits and moderate size, of either sign.
fn number(random: &mut Cases, bits: u64) -> Dyadic {
    let mut mantissa = Integer::ZERO;
    for _ in 0..bits.div_ceil(64) {
        mantissa = (mantissa << 64usize) + Integer::from(random.next());
    }
    let words = 64 * bits.div_ceil(64);
    let mantissa = mantissa >> (words - bits) as usize;
    let exponent = random.below(16) as i64 - 8 - bits as i64;
    let value = Dyadic::new(mantissa, exponent);
    if random.one_in(2) { -&value } else { value }
}

/// Intervals, of one point each every other time, and inputs in them.
fn boxes_and_point(random: &mut Cases, precision: u64) -> (Boxes, Inputs) {
    let wide = random.one_in(2);
    // More bits than the format has, now and then: inputs are rounded.
    let bits = |random: &mut Cases| precision + if random.one_in(4) { random.below(9) } else { 0 };
    let length = bits(random);
    let query = number(random, length);
    let length = bits(random);
    let noise = number(random, length);
    let uniform = {
        let fraction = number(random, precision).abs();
        let top = fraction.floor_log2().unwrap_or(0);
        let octaves = if random.one_in(2) { 3 } else { 60 };
        let size = -1 - random.below(octaves) as i64;
        if fraction.is_zero() {
            Dyadic::power_of_two(size)
        } else {
            fraction.times_power_of_two(size - top)
        }
    };
    let sign = Dyadic::from(if random.one_in(2) { -1 } else { 1 });
    let signs = if wide && random.one_in(2) {
        Enclosure::new(Dyadic::from(-1), Dyadic::ONE).expect("-1 is below 1")
    } else {
        Enclosure::exact(sign.clone())
    };
    let around = |random: &mut Cases, point: &Dyadic| {
        let size = point.floor_log2().unwrap_or(0) - 2;
        let mut radius = || match wide {
            true => Dyadic::power_of_two(size - random.below(2 * precision) as i64),
            false => Dyadic::ZERO,
        };
        (point - &radius(), point + &radius())
    };
    let interval = |(lo, hi): (Dyadic, Dyadic)| Enclosure::new(lo, hi).expect("a point between");
    let (lowest, highest) = around(random, &uniform);
    // The radius is at most a quarter of the point, so the lower end is positive.
    let below_one = &Dyadic::ONE - &Dyadic::power_of_two(-220);
    let uniforms = interval((lowest, highest.min(below_one)));
    let boxes = Boxes::new(interval(around(random, &query)))
        .with("u", uniforms)
        .with("s", signs)
        .with("v", interval(around(random, &noise)));
    let inputs = Inputs::new(query)
        .with("u", uniform)
        .with("s", sign)
        .with("v", noise);
    (boxes, inputs)
}

struct Generator<'a> {
    random: &'a mut Cases,
}

impl Generator<'_> {
    /// Samples u, s and v, up to four variables, half of them floating and the others exact or
    /// real.
    fn program(&mut self) -> Program {
        let sample = |name: &str, distribution| Statement::Sample {
            name: name.to_owned(),
            distribution,
            at: Position::default(),
        };
        let scale = self.constant();
        let mut statements = vec![
            sample("u", Distribution::Uniform(UniformShape::default())),
            sample("s", Distribution::Sign),
            sample("v", Distribution::Laplace { scale }),
        ];
        let (mut floats, mut reals) = (Vec::new(), Vec::new());
        for i in 0..self.random.below(4) {
            let real = self.random.one_in(6);
            let name = format!("{}{i}", if real { "r" } else { "x" });
            let value = if real {
                self.real(2, &floats, &reals, false)
            } else {
                self.floating(3, &floats, &reals)
            };
            if real {
                reals.push(name.clone())
            } else {
                floats.push(name.clone())
            }
            statements.push(Statement::Assign(Assignment {
                name,
                value,
                at: Position::default(),
            }));
        }
        let result = self.floating(3, &floats, &reals);
        let parameter = |name: &str, default| Parameter {
            name: name.to_owned(),
            default: Some(default),
            at: Position::default(),
        };
        let grid = Rational::from(&Dyadic::power_of_two(self.random.below(13) as i64 - 6));
        Program {
            name: None,
            parameters: vec![
                parameter("lambda", self.constant()),
                parameter("Lambda", at(ExprKind::Constant(grid))),
                parameter("B", self.constant()),
            ],
            statements,
            result,
        }
    }

    /// A positive decimal.
    fn constant(&mut self) -> Expr {
        let denominator = [1, 2, 10, 1000][self.random.below(4) as usize];
        let value = Rational::new(1 + self.random.below(2000), denominator);
        at(ExprKind::Constant(value))
    }

    fn leaf(&mut self) -> Expr {
        match self.random.below(6) {
            0 => self.constant(),
            1 => at(ExprKind::Query),
            _ => name(["u", "s", "v", "lambda"][self.random.below(4) as usize]),
        }
    }

    fn floating(&mut self, depth: u32, floats: &[String], reals: &[String]) -> Expr {
        if depth == 0 || self.random.one_in(8) {
            if !floats.is_empty() && self.random.one_in(2) {
                return name(&floats[self.random.below(floats.len() as u64) as usize]);
            }
            return self.leaf();
        }
        let arithmetic = OperationArithmetic::Rounded;
        at(match self.random.below(16) {
            0 => ExprKind::Negate(Box::new(self.floating(depth - 1, floats, reals))),
            1 => ExprKind::Nearest(Box::new(self.real(depth - 1, floats, reals, true))),
            2 | 3 => ExprKind::Ln {
                arithmetic,
                argument: Box::new(self.positive(depth, floats, reals)),
            },
            4 => {
                let argument = Box::new(self.floating(depth - 1, floats, reals));
                self.round(argument)
            }
            5 => ExprKind::Clamp {
                argument: Box::new(self.floating(depth - 1, floats, reals)),
                bound: Box::new(name("B")),
            },
            _ => ExprKind::Binary {
                operator: self.operator(),
                arithmetic,
                left: Box::new(self.floating(depth - 1, floats, reals)),
                right: Box::new(self.floating(depth - 1, floats, reals)),
            },
        })
    }

    /// A real expression; floating variables only inside `fl`.
    fn real(&mut self, depth: u32, floats: &[String], reals: &[String], inside: bool) -> Expr {
        if depth == 0 || self.random.one_in(6) {
            let names = if inside && self.random.one_in(2) {
                floats
            } else {
                reals
            };
            if !names.is_empty() && self.random.one_in(2) {
                return name(&names[self.random.below(names.len() as u64) as usize]);
            }
            return self.leaf();
        }
        let arithmetic = OperationArithmetic::Real;
        at(match self.random.below(10) {
            0 => ExprKind::Negate(Box::new(self.real(depth - 1, floats, reals, inside))),
            1 => ExprKind::Ln {
                arithmetic,
                argument: Box::new(name("u")),
            },
            2 => {
                let argument = Box::new(self.real(depth - 1, floats, reals, inside));
                self.round(argument)
            }
            3 => ExprKind::Clamp {
                argument: Box::new(self.real(depth - 1, floats, reals, inside)),
                bound: Box::new(name("B")),
            },
            _ => ExprKind::Binary {
                operator: self.operator(),
                arithmetic,
                left: Box::new(self.real(depth - 1, floats, reals, inside)),
                right: Box::new(self.real(depth - 1, floats, reals, inside)),
            },
        })
    }

    /// An argument of a logarithm, positive more often than not.
    fn positive(&mut self, depth: u32, floats: &[String], reals: &[String]) -> Expr {
        match self.random.below(4) {
            0 | 1 => name("u"),
            2 => self.constant(),
            _ => self.floating(depth - 1, floats, reals),
        }
    }

    fn round(&mut self, argument: Box<Expr>) -> ExprKind {
        ExprKind::Round {
            argument,
            grid: Box::new(name("Lambda")),
            ties: [Ties::Up, Ties::Even, Ties::Away][self.random.below(3) as usize],
            zero: [Zero::Positive, Zero::Signed][self.random.below(2) as usize],
        }
    }

    fn operator(&mut self) -> Operator {
        match self.random.below(7) {
            0 | 1 => Operator::Add,
            2 | 3 => Operator::Subtract,
            4 | 5 => Operator::Multiply,
            _ => Operator::Divide,
        }
    }
}

fn at(kind: ExprKind) -> Expr {
    Expr::new(kind, Position::default())
}

fn name(name: &str) -> Expr {
    at(ExprKind::Name(name.to_owned()))
}
