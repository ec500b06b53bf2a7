use super::*;
use crate::ledger::Request;

/// A plan that a ledger has under an earlier identity is known under both.
fn is_known(plan: &Plan, charging: &Charging, then: &Identity, now: &Identity) {
    let directory = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(&directory.path().join("ledger"), &plan.budget).unwrap();
    let request = Request {
        plan: then.hex(),
        data: "data".into(),
        loss: plan.spend.clone(),
        description: plan.description(),
    };
    let _ = ledger.reserve(&request).unwrap();
    let known = known(plan, charging, now, &ledger);
    assert!(known.contains(&now.hex()) && known.contains(&then.hex()));
}

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
    is_known(&plan, &charging, &then, &now);
}

/// Keys that are joined by the unit cost less noise than in earlier versions; what those stored is
/// found.
#[test]
fn a_release_from_before_units_were_in_one_group_is_found() {
    let plan = Plan::parse(
        "[source]\nfiles = \"x.csv\"\n[[source.join]]\nfiles = \"y.csv\"\ncolumns = [\"sex\"]\n\
         [privacy]\nneighbours = \"add-remove\"\nunit = \"id\"\nmost_rows = 2\n\
         most_groups = 3\n[budget]\nepsilon = 1\n[columns.sex]\ncategories = [\"f\", \"m\"]\n\
         [[statistics]]\nname = \"rows\"\nkind = \"count\"\nby = \"sex\"\n",
    )
    .unwrap();
    let charging = Charging::new(&plan, None);
    let of = |plan: &Plan| Identity::new(plan, &price_in(plan, &charging).unwrap());
    let now = of(&plan);
    let then = of(&plan.with_written_limits().unwrap());
    // Of two groups, a unit was in both.
    assert!(now.text().contains("\nscale=1:2\n"));
    assert!(then.text().contains("\nscale=1:4\n"));
    is_known(&plan, &charging, &then, &now);
}

/// Prices of earlier versions are computed only if a release has the names of the statistics.
#[test]
fn nothing_is_looked_for_under_other_names() {
    let text = "title = \"Cats\"\n[source]\nfiles = \"x.csv\"\n[privacy]\n\
                neighbours = \"add-remove\"\n[budget]\nepsilon = 1\n[spend]\nepsilon = 0.1\n\
                [[statistics]]\nname = \"rows\"\nkind = \"count\"\n";
    let plan = Plan::parse(text).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let mut ledger = Ledger::open(&path, &plan.budget).unwrap();
    let charging = Charging::new(&plan, None);
    let identity = Identity::new(&plan, &price_in(&plan, &charging).unwrap());
    let mut reserve = |description: String| {
        let request = Request {
            plan: format!("{}{}", "0".repeat(60), description.len()),
            data: "data".into(),
            loss: plan.spend.clone(),
            description,
        };
        let _ = ledger.reserve(&request).unwrap();
        known(&plan, &charging, &identity, &ledger).len()
    };
    assert_eq!(reserve("Cats: columns".to_owned()), 1);
    assert_eq!(reserve("Cats: arrows".to_owned()), 1);
    // Another title is the same release.
    assert!(reserve("Dogs: rows".to_owned()) > 1);
}
