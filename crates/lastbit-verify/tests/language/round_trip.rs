//! Printing and reading back gives the same tree, for random trees.

use lastbit_exact::{Dyadic, Rational};
use lastbit_verify::language::{
    Assignment, Distribution, Expr, ExprKind, OperationArithmetic, Operator, Parameter, Position,
    Program, Statement, Ties, UniformShape, Zero, parse,
};
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    // No word of the language; primes and digits inside.
    "[a-zA-Z_][a-z0-9_]{0,3}'?".prop_map(|word| match parse(&format!("return {word}")) {
        Ok(program) if program.result.kind == ExprKind::Name(word.clone()) => word,
        _ => format!("{word}_0"),
    })
}

fn constant() -> impl Strategy<Value = ExprKind> {
    prop_oneof![
        (0u64..1_000_000, 0u32..9).prop_map(|(digits, places)| {
            ExprKind::Constant(Rational::new(digits, 10i64.pow(places)))
        }),
        (-4096i64..=4096)
            .prop_map(|k| ExprKind::Constant(Rational::from(&Dyadic::power_of_two(k)))),
    ]
}

fn at(kind: ExprKind) -> Expr {
    Expr::new(kind, Position::default())
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        constant(),
        name().prop_map(ExprKind::Name),
        Just(ExprKind::Query)
    ];
    let operator = prop::sample::select(vec![
        Operator::Add,
        Operator::Subtract,
        Operator::Multiply,
        Operator::Divide,
    ]);
    let arithmetic = prop::sample::select(vec![
        OperationArithmetic::Real,
        OperationArithmetic::Rounded,
    ]);
    let ties = prop::sample::select(vec![Ties::Up, Ties::Even, Ties::Away]);
    let zero = prop::sample::select(vec![Zero::Positive, Zero::Signed]);
    leaf.prop_map(at).prop_recursive(5, 24, 2, move |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            boxed.clone().prop_map(ExprKind::Negate),
            boxed.clone().prop_map(ExprKind::Nearest),
            boxed.clone().prop_map(ExprKind::CeilPowerOfTwo),
            (arithmetic.clone(), boxed.clone()).prop_map(|(arithmetic, argument)| ExprKind::Ln {
                arithmetic,
                argument
            }),
            (
                operator.clone(),
                arithmetic.clone(),
                boxed.clone(),
                boxed.clone()
            )
                .prop_map(|(operator, arithmetic, left, right)| ExprKind::Binary {
                    operator,
                    arithmetic,
                    left,
                    right
                }),
            (boxed.clone(), boxed.clone())
                .prop_map(|(argument, bound)| ExprKind::Clamp { argument, bound }),
            (boxed.clone(), boxed.clone(), ties.clone(), zero.clone()).prop_map(
                |(argument, grid, ties, zero)| ExprKind::Round {
                    argument,
                    grid,
                    ties,
                    zero
                }
            ),
        ]
        .prop_map(at)
    })
}

fn distribution() -> impl Strategy<Value = Distribution> {
    prop_oneof![
        (
            prop::option::of(2u32..1000),
            prop::option::of(1u32..1_000_000)
        )
            .prop_map(|(bits, exponents)| Distribution::Uniform(UniformShape { bits, exponents })),
        Just(Distribution::Sign),
        expr().prop_map(|scale| Distribution::Laplace { scale }),
    ]
}

fn statement() -> impl Strategy<Value = Statement> {
    prop_oneof![
        (name(), distribution()).prop_map(|(name, distribution)| Statement::Sample {
            name,
            distribution,
            at: Position::default()
        }),
        (name(), expr()).prop_map(|(name, value)| Statement::Assign(Assignment {
            name,
            value,
            at: Position::default()
        })),
    ]
}

fn parameter() -> impl Strategy<Value = Parameter> {
    (name(), prop::option::of(constant().prop_map(at))).prop_map(|(name, default)| Parameter {
        name,
        default,
        at: Position::default(),
    })
}

fn program() -> impl Strategy<Value = Program> {
    (
        prop::option::of(name()),
        prop::collection::vec(parameter(), 0..3),
        prop::collection::vec(statement(), 0..4),
        expr(),
    )
        .prop_map(|(name, parameters, statements, result)| Program {
            name,
            parameters,
            statements,
            result,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn reading_what_is_printed_gives_the_same_tree(program in program()) {
        let text = program.to_string();
        let read = parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&read, &program, "{}", text);
        prop_assert_eq!(read.to_string(), text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[ -~\nλ⊕←()=;,:.~e^0-9]{0,60}") {
        let _ = parse(&text);
    }
}

#[test]
fn both_spellings_of_an_operator_give_the_same_tree() {
    let ascii = parse("u <- unif\nreturn lambda (*) ln~(u) (+) f (-) 1 (/) 2 - 3 * 4 / 5");
    let unicode = parse("u ← unif\nreturn λ ⊗ LN(u) ⊕ f ⊖ 1 ⊘ 2 − 3 × 4 ÷ 5");
    assert_eq!(ascii.unwrap(), unicode.unwrap());
}

#[test]
fn operators_of_a_level_group_to_the_left() {
    let print = |text: &str| parse(text).unwrap().result.to_string();
    assert_eq!(print("return (1 - 2) - 3"), "1 - 2 - 3");
    assert_eq!(print("return 1 - (2 - 3)"), "1 - (2 - 3)");
    assert_eq!(print("return (1 * 2) + 3 * (4 + 5)"), "1 * 2 + 3 * (4 + 5)");
    assert_eq!(print("return -(1 + 2) * -3"), "-(1 + 2) * -3");
}

#[test]
fn a_new_line_inside_parentheses_is_a_space() {
    let program = parse("return clamp(f # the query\n  , B\n)").unwrap();
    assert_eq!(program.to_string(), "return clamp(f, B)\n");
}

#[test]
fn more_parameters_than_a_statement_can_declare_are_printed_in_several() {
    let declared: String = (0..150)
        .map(|i| format!("parameters g{i} = 1/3\n"))
        .collect();
    let program = parse(&format!("{declared}return f")).unwrap();
    let again = parse(&program.to_string()).unwrap();
    assert_eq!(again, program);
}
