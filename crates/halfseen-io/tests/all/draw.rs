//! Checks the content of a figure for arbitrary input.

use halfseen_io::ErrorKind;
use halfseen_io::draw::{Figure, Panels, Point, Series, learning_curve, small_multiples};
use proptest::collection::vec;
use proptest::prelude::*;

fn figure(series: Vec<Series>) -> Figure {
    let [title, x_label, y_label] = ["Error <&> \"reads\"", "reads", "error"].map(String::from);
    Figure { title, x_label, y_label, log_x: true, y_limit: None, reference: None, series }
}

fn series(name: &str, points: &[(f64, f64)]) -> Series {
    let point = |&(x, y): &(f64, f64)| Point { x, y, low: y - 0.1, high: y + 0.1 };
    Series { name: name.into(), points: points.iter().map(point).collect() }
}

#[test]
fn names_are_escaped_and_cut() {
    let long = "<b>\u{0}".repeat(40);
    let svg = learning_curve(&figure(vec![series(&long, &[(1.0, 1.0), (10.0, 2.0)])])).unwrap();
    assert!(svg.contains("Error &lt;&amp;&gt; &quot;reads&quot;"), "{svg}");
    assert!(!svg.contains("<b>") && !svg.contains('\0') && svg.contains('…'));
}

#[test]
fn the_legend_lists_curves_as_they_end_and_says_which_are_empty() {
    let all = vec![
        series("low", &[(1.0, 1.0)]),
        series("none", &[(1.0, f64::NAN)]),
        series("high", &[(1.0, 3.0)]),
    ];
    let svg = learning_curve(&figure(all)).unwrap();
    let at = |name: &str| svg.find(&format!("{name}\n")).unwrap();
    assert!(at("high") < at("low") && at("low") < at("none (no points)"));
}

#[test]
fn a_figure_without_points_is_refused() {
    for series in
        [vec![], vec![series("x", &[])], vec![series("x", &[(-1.0, 1.0), (1.0, f64::INFINITY)])]]
    {
        let error = learning_curve(&figure(series)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NoPoints { log_x: true }), "{error}");
    }
}

#[test]
fn the_same_figure_gives_the_same_text() {
    let figure = figure(vec![series("a", &[(1.0, 1.0), (5.0, 2.0)])]);
    assert_eq!(learning_curve(&figure).unwrap(), learning_curve(&figure).unwrap());
}

#[test]
fn a_reference_is_dashed_and_more_than_seven_curves_get_a_panel_each() {
    let of = |count: usize| {
        let all = (0..count).map(|at| {
            let end = 9.0 - at as f64;
            series(&format!("curve {at}"), &[(1.0, 9.5), (10.0, end)])
        });
        let reference = Some(("constant".to_owned(), 5.0));
        learning_curve(&Figure { reference, ..figure(all.collect()) }).unwrap()
    };
    let one = of(7);
    assert!(one.contains("constant\n</text>") && !one.contains("panel"), "{one}");
    let names = "curve 6\n";
    assert!(
        one.find("constant\n</text>") < one.find(names),
        "the legend is in the order of the ends"
    );
    let many = of(8);
    assert!(many.contains("the others in grey; dashed: constant."), "{many}");
    // Each of the panels has all other curves in grey, and the lowest comes first.
    // (The style for dark pages names the grey too, in brackets.)
    assert_eq!(many.matches(" stroke=\"#C8C8C8\"").count(), 8 * 7);
    assert!(many.find("curve 7\n</text>") < many.find("curve 0\n</text>"));
    assert!(many.contains("<desc>error by reads, a panel each: curve 7, curve 6"), "{many}");
}

fn panels(panels: Vec<Series>) -> Panels {
    let [title, subtitle, y_label] = ["Parts", "of <y>", "added"].map(String::from);
    Panels { title, subtitle, y_label, panels }
}

#[test]
fn panels_stand_in_rows_of_three_under_their_names() {
    let names = ["a <b>", "c", "d", "none", "e"];
    let of = |name: &&str| match *name {
        "none" => series(name, &[(1.0, f64::NAN)]),
        name => series(name, &[(-3.0, 1.0), (2.0, -1.0)]),
    };
    let svg = small_multiples(&panels(names.iter().map(of).collect())).unwrap();
    assert!(svg.contains("<title>Parts</title>\n<desc>added by a &lt;b&gt;, c, d, e.</desc>"));
    // The y axis has labels at the left end of each of the two rows.
    assert!(svg.contains("of &lt;y&gt;") && svg.matches("\n-1.0\n").count() == 2, "{svg}");
    let error = small_multiples(&panels(vec![series("x", &[])])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoPoints { log_x: false }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_numbers_give_a_figure_without_nan(
        all in vec(("\\PC{0,9}", vec(any::<[f64; 4]>(), 0..6)), 0..5),
        wild in any::<bool>(),
        log_x in any::<bool>(),
    ) {
        let tame = |v: f64| if wild { v } else { v % 1000.0 };
        let point = |&[x, y, low, high]: &[f64; 4]| Point { x: tame(x), y: tame(y), low: tame(low), high: tame(high) };
        let series = all.iter().map(|(name, p)| Series { name: name.clone(), points: p.iter().map(point).collect() });
        let result = learning_curve(&Figure { log_x, title: String::new(), ..figure(series.collect()) });
        if let Ok(svg) = result {
            let points = svg.split("points=\"").skip(1).map(|p| p.split('"').next().unwrap());
            for coordinate in points.flat_map(|p| p.split([' ', ','])).filter(|c| !c.is_empty()) {
                // inside the page, which is less than 1100 x 600 pixels, each of 8 parts
                prop_assert!((0..8800).contains(&coordinate.parse::<i32>().unwrap()), "{}", coordinate);
            }
        }
    }
}
