//! A report with every kind of statistic, as a release would make it.

use lastbit_release::present::{Cell, Picture, PublishedStatistic, Receipt, Report};

/// A published number.
pub fn cell(group: &[&str], label: &str, value: &str, error: &str) -> Cell {
    Cell {
        group: group.iter().map(|text| (*text).to_owned()).collect(),
        label: label.into(),
        value: Some(value.into()),
        error: Some(error.into()),
        ..Cell::default()
    }
}

fn statistic(
    name: &str,
    kind: &str,
    of: &[&str],
    by: &[&str],
    unit: &str,
    cells: Vec<Cell>,
) -> PublishedStatistic {
    let many = cells.len() > 1;
    PublishedStatistic {
        titles: Default::default(),
        name: name.into(),
        kind: kind.into(),
        of: of.iter().map(|text| (*text).to_owned()).collect(),
        weights: None,
        unit: unit.into(),
        by: by.iter().map(|text| (*text).to_owned()).collect(),
        about: vec![
            "at most 4 rows of each `patient` in a group, in at most 2 groups".into(),
            "rows without a `patient` are left out".into(),
        ],
        mechanism: "snapping, exact".into(),
        loss: "ε = 0.125".into(),
        grid: "2^-4".into(),
        adds_up_with: vec![],
        picture: if many { Picture::Bars } else { Picture::Table },
        bins: None,
        least: None,
        most: None,
        cells,
    }
}

/// Made-up numbers about a made-up clinic.
pub fn clinic() -> Report {
    let wards = [
        "cardiology",
        "surgery",
        "paediatrics",
        "neurology",
        "maternity",
        "oncology",
    ];
    let ages = [
        "0–9", "10–19", "20–29", "30–39", "40–49", "50–59", "60–69", "70–79", "80–89", "90–100",
    ];
    let counts = [412, 520, 1310, 2870, 3544, 4020, 3391, 2240, 1180, 305];
    let histogram = ages
        .iter()
        .zip(counts)
        .map(|(age, count)| cell(&[], age, &count.to_string(), "90"));
    let by_ward = |values: [&str; 6], error: &str| -> Vec<Cell> {
        wards
            .iter()
            .zip(values)
            .map(|(ward, value)| cell(&[ward], "", value, error))
            .collect()
    };
    let quantiles = ["0.1", "0.25", "0.5", "0.75", "0.9"]
        .iter()
        .zip(["58", "120", "310", "905", "2480"]);
    let quantiles = quantiles.map(|(rank, value)| Cell {
        error_unit: "ranks".into(),
        lower: Some((value.parse::<u32>().unwrap_or(0) / 2).to_string()),
        upper: Some((value.parse::<u32>().unwrap_or(0) * 2).to_string()),
        ..cell(&[], rank, value, "41")
    });
    let by_sex = ["female", "male"].iter().flat_map(|sex| {
        let shift = if *sex == "male" { -35 } else { 120 };
        ages.iter()
            .zip(counts)
            .map(move |(age, count)| cell(&[sex], age, &(count / 2 + shift).to_string(), "130"))
    });
    let mut discovered = by_ward(["118", "97", "86", "74", "61", "58"], "24");
    discovered.push(Cell {
        value: None,
        error: None,
        ..cell(&["rare & odd"], "", "", "")
    });
    let mut report = Report {
        schema: 1,
        invented: false,
        title: "Visits to a clinic, 2025".into(),
        notes: vec![
            "One person may add or remove at most 4 visits in each of at most 2 wards.".into(),
            "Costs are between 0 and 5000 €; a missing cost counts as 0.".into(),
        ],
        loss: "ε = 1".into(),
        budget: "ε = 2".into(),
        accountant: "sequential composition, pure ε".into(),
        confidence: "0.95".into(),
        statistics: vec![
            statistic(
                "visits",
                "count",
                &[],
                &[],
                "visits",
                vec![cell(&[], "", "71934", "120")],
            ),
            statistic(
                "visits by ward",
                "count",
                &[],
                &["ward"],
                "visits",
                by_ward(["15210", "12874", "9933", "8120", "13377", "12420"], "310"),
            ),
            statistic(
                "age",
                "histogram",
                &["age"],
                &[],
                "visits",
                histogram.collect(),
            ),
            statistic(
                "age by sex",
                "histogram",
                &["age"],
                &["sex"],
                "visits",
                by_sex.collect(),
            ),
            statistic(
                "mean cost",
                "mean",
                &["cost"],
                &["ward"],
                "€",
                by_ward(
                    ["412.3", "690.0", "233.8", "501.1", "380.4", "744.9"],
                    "18.5",
                ),
            ),
            statistic(
                "quantiles of cost",
                "quantiles",
                &["cost"],
                &[],
                "€",
                quantiles.collect(),
            ),
            statistic(
                "covariance",
                "covariance",
                &["age", "cost"],
                &[],
                "years · €",
                vec![cell(&[], "", "-1204.5", "88")],
            ),
            statistic(
                "diagnoses",
                "count",
                &[],
                &["diagnosis"],
                "visits",
                discovered,
            ),
        ],
        receipt: Receipt {
            plan: "5a1d3f0c9be2".repeat(5),
            data: None,
            ledger_row: 12,
            ledger_hash: "c04f77ab19de".repeat(5),
            time: "2026-03-01T09:30:00.000Z".into(),
            certificate: "MATH.md, theorem 3".into(),
            program: "lastbit 0.1.0".into(),
        },
    };
    report.statistics[0].grid = "2^0".into();
    report
}

/// Names that try to be something else.
pub const HOSTILE: [&str; 12] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onload='alert(1)",
    "</title></style></svg><b>",
    "&lt;b&gt; &amp;",
    "\u{202e}txet desrever\u{202c}",
    "שלום עולם",
    "👩‍⚕️ 🏥",
    "\u{1b}[31mred\u{1b}[0m\u{7}\u{8}",
    "a,b;\"c\"\r\nd",
    "=HYPERLINK(\"http://x\")",
    "",
];

/// The clinic with every name replaced by one text.
pub fn renamed(text: &str) -> Report {
    let mut report = clinic();
    let own = || text.to_owned();
    report.title = own();
    report.notes = vec![own(); 2];
    report.loss = own();
    report.accountant = own();
    report.receipt.plan = own();
    report.receipt.data = Some(own());
    report.receipt.ledger_hash = own();
    report.receipt.time = own();
    report.receipt.certificate = own();
    report.receipt.program = own();
    for statistic in &mut report.statistics {
        statistic.name = own();
        statistic.unit = own();
        statistic.about = vec![own(); 2];
        statistic.mechanism = own();
        statistic.loss = own();
        statistic.grid = own();
        for name in statistic.of.iter_mut().chain(&mut statistic.by) {
            *name = own();
        }
        for cell in &mut statistic.cells {
            cell.label = own();
            cell.error_unit = own();
            for group in &mut cell.group {
                *group = own();
            }
        }
    }
    report
}
