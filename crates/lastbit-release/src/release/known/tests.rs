use super::*;
use crate::ledger::Request;

#[test]
fn a_release_with_noise_shared_at_a_larger_error_is_found() {
    let plan = Plan::parse(
        "[source]\nfiles = \"x.csv\"\n[privacy]\nneighbours = \"add-remove\"\n\
             [budget]\nepsilon = 1\n[columns.x]\nlower = 0\nupper = 1\n\
             [[statistics]]\nname = \"rows\"\nkind = \"count\"\nweight = 4\n\
             [[statistics]]\nname = \"cut\"\nkind = \"left-out\"\nof = \"x\"\n",
    )
    .unwrap();
    let charging = Charging::new(&plan, None);
    let of = |offered: Offered| {
        let prices = price_as(&plan, &charging, offered).unwrap();
        Identity::new(&plan, &prices)
    };
    let (now, then) = (of(Offered::All), of(Offered::Joined));
    assert!(then.text().contains("shares=3:cut"));
    assert!(!now.text().contains("shares="));
    let directory = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(&directory.path().join("ledger"), &plan.budget).unwrap();
    let request = Request {
        plan: then.hex(),
        data: "data".into(),
        loss: plan.spend.clone(),
        description: String::new(),
    };
    let _ = ledger.reserve(&request).unwrap();
    let known = known(&plan, &charging, &now, &ledger);
    assert!(known.contains(&now.hex()) && known.contains(&then.hex()));
}
