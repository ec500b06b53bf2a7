//! `e_R ⇓ e_F, [lo, hi]`: where the real and the floating value of an expression can lie, rule by
//! rule.

use std::collections::BTreeMap;

use lastbit_exact::{Dyadic, Enclosure, Format, Integer, Outward, Rational, Rounding};

use super::interval::{self, arithmetic, ends, sized};
use super::real::{binary, divides_by_zero, no_logarithm};
use super::{Boxes, Derivation, InputError, Instance, Judgement, Rule};
use crate::language::{Diagnostic, Distribution, Expr, ExprKind, OperationArithmetic, Operator};

/// Bits of the ends of intervals beyond those of the format: rounding ends outward costs 2^-64 of
/// what a rounded operation does.
const GUARD_BITS: u32 = 64;

impl Instance {
    /// Derives, for all inputs in the boxes, where the value of every expression can lie, over the
    /// reals and in the format.
    ///
    /// Every rule keeps this invariant: if the real value r and the floating value c of each
    /// operand lie in the operand's interval, then so do those of the result. With `η = 2^-p`:
    ///
    /// - **const, query, sample** `x ⇓ fl(x), [min(lo, fl(lo)), max(hi, fl(hi))]`: the floating
    ///   value is the input rounded, and fl is monotone.
    /// - **neg** `−x ⇓ −x, [−hi, −lo]`: the numbers of a format are symmetric.
    /// - **add, sub, mul, div** `x ∘ y ⇓ fl(x ∘ y), widen[x ∘ y]`: both the real result and the one
    ///   that is rounded are in the interval of `x ∘ y`, whose extremes are at ends of the
    ///   operands; the widening moves each end outward according to its sign, by the factor 1 + η,
    ///   which holds whatever rounding to nearest gives: for t > 0 it is in `[t/(1+η), t(1+η)]`,
    ///   for t < 0 in `[t(1+η), t/(1+η)]`. A divisor whose interval holds 0 is an error.
    /// - **ln** `ln x ⇓ LN(x), widen[ln lo, ln hi]`: ln is monotone and LN is correctly rounded.
    /// - **fl** `x ⇓ fl(x), widen[x]`; inside, **real** operations do not widen.
    /// - **scale** for ±1, and for powers of two: the floating product or quotient is exact, since
    ///   a number of the format keeps its significand and exponents are unbounded. Nothing widens.
    /// - **round** `⌊x⌉ ⇓ ⌊x⌉, [⌊lo⌉, ⌊hi⌉]`: rounding to multiples of Λ = 2^k is monotone, and a
    ///   number x of the format stays one. With `2^e ≤ |x| < 2^(e+1)` its last place is
    ///   `2^(e−p+1)`. If Λ is not larger, x is a multiple of Λ and stays. If Λ ≤ 2^(e+1), then
    ///   2^(e+1) is a multiple of Λ, so the result is a multiple of `2^(e−p+1)` that is at most
    ///   2^(e+1). If Λ is larger still, the result is 0 or ±Λ.
    /// - **clamp** `clamp(x, B) ⇓ clamp(x, fl(B))`: the result is x or ±fl(B). For B' in `[b, b']`,
    ///   the hull of B and fl(B), the value is between `min(lo, b)` (`max(lo, −b')` for lo < 0) and
    ///   `min(hi, b')` (`max(hi, −b)` for hi < 0).
    ///
    /// Ends have `p + 64` bits and are rounded outward.
    ///
    /// ```
    /// use lastbit_exact::{Dyadic, Enclosure, Format};
    /// use lastbit_verify::language::{WellFormed, parse};
    /// use lastbit_verify::semantics::{Boxes, Instance};
    /// let program = WellFormed::new(parse("return f (+) 0.1").unwrap()).unwrap();
    /// let instance = Instance::new(program, &Default::default()).unwrap();
    /// let f = Enclosure::new(Dyadic::from(-2), Dyadic::from(-1)).unwrap();
    /// let judgement = instance.judge(Format::BINARY64, &Boxes::new(f)).unwrap();
    /// assert!(judgement.result.enclosure.hi().is_negative());
    /// ```
    pub fn judge(&self, format: Format, boxes: &Boxes) -> Result<Judgement<'_>, InputError> {
        self.check_inputs(boxes)?;
        let mut judge = Judge {
            instance: self,
            boxes,
            format,
            intervals: arithmetic(format.precision().saturating_add(GUARD_BITS)),
            unit_roundoff: format.unit_roundoff(),
            variables: BTreeMap::new(),
        };
        let mut variables = Vec::new();
        for assignment in self.program().assignments() {
            let derivation = judge.derive(&assignment.value)?;
            let enclosure = derivation.enclosure.clone();
            judge.variables.insert(&assignment.name, enclosure);
            variables.push((assignment.name.as_str(), derivation));
        }
        let result = judge.derive(&self.program().result)?;
        Ok(Judgement {
            format,
            variables,
            result,
        })
    }
}

struct Judge<'a, 'b> {
    instance: &'a Instance,
    boxes: &'b Boxes,
    format: Format,
    intervals: Outward,
    unit_roundoff: Dyadic,
    variables: BTreeMap<&'a str, Enclosure>,
}

impl<'a> Judge<'a, '_> {
    fn derive(&self, expr: &'a Expr) -> Result<Derivation<'a>, Diagnostic> {
        let intervals = self.intervals;
        let (rule, enclosure, premises) = match &expr.kind {
            ExprKind::Constant(value) => (Rule::Constant, self.constant(value), vec![]),
            ExprKind::Query => (Rule::Query, self.with_nearest(&self.boxes.query), vec![]),
            ExprKind::Name(name) => self.name(name, expr)?,
            ExprKind::CeilPowerOfTwo(_) => {
                let value = self.instance.constant(expr)?;
                (Rule::Constant, self.constant(&value), vec![])
            }
            ExprKind::Negate(x) => {
                let x = self.derive(x)?;
                (Rule::Negate, -&x.enclosure, vec![x])
            }
            ExprKind::Nearest(x) => {
                let x = self.derive(x)?;
                (Rule::Nearest, self.widen(&x.enclosure), vec![x])
            }
            ExprKind::Round {
                argument,
                grid,
                ties,
                ..
            } => {
                let x = self.derive(argument)?;
                let exponent = self.instance.grid_exponent(grid)?;
                let rounded = interval::round(&x.enclosure, exponent, *ties);
                (Rule::Round, rounded, vec![x])
            }
            ExprKind::Clamp { argument, bound } => {
                let x = self.derive(argument)?;
                let bound = self.constant(&self.instance.constant(bound)?);
                (Rule::Clamp, interval::clamp(&x.enclosure, &bound), vec![x])
            }
            ExprKind::Ln {
                arithmetic,
                argument,
            } => {
                let x = self.derive(argument)?;
                let exact = intervals
                    .ln(&x.enclosure)
                    .ok_or_else(|| no_logarithm(expr, argument))?;
                let (rule, enclosure) = match arithmetic {
                    OperationArithmetic::Real => (Rule::Real, exact),
                    OperationArithmetic::Rounded => (Rule::Ln, self.widen(&exact)),
                };
                (rule, enclosure, vec![x])
            }
            ExprKind::Binary {
                operator,
                arithmetic,
                left,
                right,
            } => {
                let (x, y) = (self.derive(left)?, self.derive(right)?);
                let exact = binary(intervals, *operator, &x.enclosure, &y.enclosure)
                    .ok_or_else(|| divides_by_zero(expr, right))?;
                let (rule, enclosure) = match arithmetic {
                    OperationArithmetic::Real => (Rule::Real, exact),
                    OperationArithmetic::Rounded if self.only_scales(*operator, &x, &y) => {
                        (Rule::Scale, exact)
                    }
                    OperationArithmetic::Rounded => (Rule::of(*operator), self.widen(&exact)),
                };
                (rule, enclosure, vec![x, y])
            }
        };
        Ok(Derivation {
            rule,
            expr,
            enclosure: sized(enclosure, expr.at)?,
            premises,
        })
    }

    fn name(
        &self,
        name: &str,
        expr: &'a Expr,
    ) -> Result<(Rule, Enclosure, Vec<Derivation<'a>>), Diagnostic> {
        Ok(if let Some(value) = self.variables.get(name) {
            (Rule::Variable, value.clone(), vec![])
        } else if let Some(sample) = self.boxes.samples.get(name) {
            (Rule::Sample, self.with_nearest(sample), vec![])
        } else {
            let value = self.instance.constant(expr)?;
            (Rule::Constant, self.constant(&value), vec![])
        })
    }

    /// The hull of a constant and the nearest number of the format.
    fn constant(&self, value: &Rational) -> Enclosure {
        let nearest = self.format.round_rational(value, Rounding::NearestEven);
        let value = self.intervals.rational(value);
        value.hull(&Enclosure::exact(nearest))
    }

    /// The hull of an interval and of its numbers rounded to the format.
    fn with_nearest(&self, x: &Enclosure) -> Enclosure {
        let nearest = |end: &Dyadic| self.format.round(end, Rounding::NearestEven);
        x.hull(&ends(nearest(x.lo()), nearest(x.hi())))
    }

    fn widen(&self, x: &Enclosure) -> Enclosure {
        interval::widen(self.intervals, x, &self.unit_roundoff)
    }

    /// Whether a factor is a sign or a power of two, or the divisor is.
    fn only_scales(&self, operator: Operator, x: &Derivation, y: &Derivation) -> bool {
        match operator {
            Operator::Multiply => self.is_scale(x) || self.is_scale(y),
            Operator::Divide => self.is_scale(y),
            Operator::Add | Operator::Subtract => false,
        }
    }

    fn is_scale(&self, factor: &Derivation) -> bool {
        let (lo, hi) = (factor.enclosure.lo(), factor.enclosure.hi());
        lo == hi && *lo.abs().mantissa() == Integer::ONE || self.is_sign(factor.expr)
    }

    fn is_sign(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.instance.program().distribution(name) == Some(&Distribution::Sign)
            }
            ExprKind::Negate(x) => self.is_sign(x),
            _ => false,
        }
    }
}
