//! Checks the content of a figure for arbitrary input.

use halfseen_io::ErrorKind;
use halfseen_io::draw::{Figure, Point, Series, learning_curve, small_multiples};
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
    let at = |name: &str| svg.find(&format!(">{name}</text>")).unwrap();
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
    assert!(one.contains(">constant</text>") && !one.contains("panel"), "{one}");
    let names = ">curve 6</text>";
    assert!(
        one.find(">constant</text>") < one.find(names),
        "the legend is in the order of the ends"
    );
    let many = of(8);
    assert!(many.contains("the others in grey; dashed: constant."), "{many}");
    // Each of the panels has all other curves in grey, and the lowest comes first.
    // (The style for dark pages names the grey too, in brackets.)
    assert_eq!(many.matches(" stroke=\"#C8C8C8\"").count(), 8 * 7);
    assert!(many.find(">curve 7</text>") < many.find(">curve 0</text>"));
    assert!(many.contains("<desc>error by reads, a panel each: curve 7, curve 6"), "{many}");
}

#[test]
fn what_is_above_the_limit_is_cut_off() {
    let high = || vec![series("a", &[(1.0, 9.0), (10.0, 0.5), (20.0, 1e90)])];
    let svg = learning_curve(&Figure { y_limit: Some(1.0), ..figure(high()) }).unwrap();
    // Line and band are inside the clipped group; of three markers one is drawn, and one in the legend.
    let (before, after) = svg.split_once("<g clip-path=\"url(#to-560-380)\">").unwrap();
    let group = after.split("</g>").next().unwrap();
    assert!(before.contains("<clipPath id=\"to-560-380\"><rect width=\"560\" height=\"381\"/>"));
    assert!(group.contains("<polyline") && group.contains("<polygon"), "{svg}");
    assert_eq!(svg.matches("<use ").count(), 2);
    // Places far above are still numbers that any viewer holds.
    assert!(svg.contains(",-379620.0 "), "{svg}");
    let whole = learning_curve(&figure(high())).unwrap();
    assert_eq!(whole.matches("<use ").count(), 4);
}

fn panels(series: Vec<Series>) -> Figure {
    let [title, x_label, y_label] = ["Parts", "of <y>", "added"].map(String::from);
    Figure { title, x_label, y_label, log_x: false, ..figure(series) }
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
    assert!(svg.contains("of &lt;y&gt;") && svg.matches(">-1.0</text>").count() == 2, "{svg}");
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
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", svg);
            let points = svg.split("points=\"").skip(1).map(|p| p.split('"').next().unwrap());
            for coordinate in points.flat_map(|p| p.split([' ', ','])).filter(|c| !c.is_empty()) {
                // inside the page, which is less than 1100 x 600 pixels
                prop_assert!((0.0..1100.0).contains(&coordinate.parse::<f64>().unwrap()), "{}", coordinate);
            }
        }
    }
}
