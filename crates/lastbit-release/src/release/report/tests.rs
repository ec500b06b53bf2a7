use super::*;

fn cell(group: &str, label: &str, value: Option<&str>) -> Cell {
    Cell {
        group: vec![group.to_owned()],
        label: label.to_owned(),
        value: value.map(str::to_owned),
        ..Cell::default()
    }
}

fn names(cells: &[Cell]) -> Vec<String> {
    let name = |cell: &Cell| cell.group[0].clone() + &cell.label;
    cells.iter().map(name).collect()
}

#[test]
fn the_largest_groups_come_first_and_equal_ones_by_name() {
    for counts in [
        [("a", "5"), ("b", "12"), ("c", "5"), ("d", "9")],
        // In no order, and with fractions.
        [("c", "5.5"), ("a", "5.5"), ("d", "9"), ("b", "12.25")],
    ] {
        let mut counts = counts
            .map(|(name, value)| cell(name, "", Some(value)))
            .to_vec();
        counts.push(cell("e", "", None));
        let order = Order::by_size(&counts);
        let expected = ["b", "d", "a", "c", "e"];
        let mut same = counts.clone();
        order.apply(&counts, &mut same);
        assert_eq!(names(&same), expected);
        // Other cells of the same groups, several each, and one of another group.
        let others = ["a", "z", "b", "c", "d", "e"];
        let mut others: Vec<Cell> = others
            .iter()
            .flat_map(|name| ["1", "2"].map(|label| cell(name, label, None)))
            .collect();
        order.apply(&counts, &mut others);
        let expected = [
            "z1", "z2", "b1", "b2", "d1", "d2", "a1", "a2", "c1", "c2", "e1", "e2",
        ];
        assert_eq!(names(&others), expected);
        order.apply_to_its_own(&mut counts);
        assert_eq!(counts, same);
    }
}
