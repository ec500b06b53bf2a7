use std::path::Path;

use super::*;

#[test]
fn printed_losses_and_errors_are_at_or_above_the_exact_ones() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/clinic/plan.toml");
    let text = std::fs::read_to_string(base).unwrap();
    let printed = |value: &Value| value.to_string().parse::<Rational>().unwrap();
    let mut seen = 0;
    for step in 0..30 {
        let epsilon = format!("epsilon = {}.{step:02}7", 1 + step % 3);
        let plan = Plan::parse(&text.replace("epsilon = 2", &epsilon)).unwrap();
        let prices = crate::account::price(&plan).unwrap();
        let stated = price_json(&plan, &prices, "", None);
        assert!(printed(&stated["loss"]["value"]) >= prices.loss.main);
        for (stated, price) in stated["statistics"]
            .as_array()
            .unwrap()
            .iter()
            .zip(&prices.statistics)
        {
            assert!(printed(&stated["loss"]["value"]) >= price.loss);
            let bounds = [("error", price.error), ("clamping_bias", price.bias)];
            for (name, bound) in bounds {
                if let Some(bound) = bound {
                    assert!(printed(&stated[name]) >= bound.to_rational().unwrap());
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 300, "{seen}");
}
