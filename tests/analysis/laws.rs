//! The textbook: which formulas say the same of all finished runs, the run without calls included.
//! `G false` says that there are no calls, `!X true` that none follows.

use agentltl::Formula;

/// With three independent facts about a call for `a`, `b` and `c`.
fn formula(text: &str) -> Formula {
    let mut spelled = String::new();
    for part in text.split_inclusive(|letter: char| !letter.is_alphanumeric()) {
        let word = part.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        match word {
            "a" | "b" | "c" => spelled.push_str(&format!(r#"matches("t", {word}=1)"#)),
            _ => spelled.push_str(word),
        }
        spelled.push_str(&part[word.len()..]);
    }
    spelled
        .parse()
        .unwrap_or_else(|error| panic!("{spelled}: {error}"))
}

/// Of the whole run.
const SAME: &[(&str, &str)] = &[
    // duality
    ("!F a", "G !a"),
    ("!G a", "F !a"),
    ("!(a U b)", "(!a) R (!b)"),
    ("!(a R b)", "(!a) U (!b)"),
    ("!(a W b)", "(!b) U (!a & !b)"),
    ("!X a", "!X true | X !a"),
    // each by the others
    ("F a", "true U a"),
    ("G a", "false R a"),
    ("G a", "a W false"),
    ("a W b", "(a U b) | G a"),
    ("a U b", "(a W b) & F b"),
    ("a R b", "b W (a & b)"),
    ("a W b", "b R (a | b)"),
    ("a R b", "(b U (a & b)) | G b"),
    ("a -> b", "!a | b"),
    // expansion
    ("F a", "a | X F a"),
    ("G a", "G false | (a & (!X true | X G a))"),
    ("a U b", "b | (a & X(a U b))"),
    ("a W b", "G false | b | (a & (!X true | X(a W b)))"),
    ("a R b", "G false | (b & (a | !X true | X(a R b)))"),
    // idempotence
    ("F F a", "F a"),
    ("G G a", "G a"),
    ("a U (a U b)", "a U b"),
    ("(a U b) U b", "a U b"),
    ("a W (a W b)", "a W b"),
    ("(a W b) W b", "a W b"),
    ("a R (a R b)", "a R b"),
    ("(a R b) R b", "a R b"),
    // absorption
    ("a & (a | b)", "a"),
    ("a | (a & b)", "a"),
    ("F a & F(a | b)", "F a"),
    ("G a | G(a & b)", "G a"),
    ("F(a U b)", "F b"),
    ("G(a R b)", "G b"),
    ("F G F a", "F true & G F a"),
    ("G F G a", "G false | F G a"),
    ("G F a", "G false | F G a"),
    // distribution
    ("F(a | b)", "F a | F b"),
    ("G(a & b)", "G a & G b"),
    ("X(a & b)", "X a & X b"),
    ("X(a | b)", "X a | X b"),
    ("(a & b) U c", "(a U c) & (b U c)"),
    ("a U (b | c)", "(a U b) | (a U c)"),
    ("a R (b & c)", "(a R b) & (a R c)"),
    ("(a | b) R c", "(a R c) | (b R c)"),
    ("X(a U b)", "(X a) U (X b)"),
    ("X F a", "F X a"),
    ("X G a", "X true & G(!X true | X a)"),
    ("X Y a", "X true & a"),
    ("@0(a)", "a"),
    ("@2(a)", "X X a"),
];

/// At every position.
const SAME_EVERYWHERE: &[(&str, &str)] = &[
    ("!O a", "H !a"),
    ("!H a", "O !a"),
    ("!Y a", "!Y true | Y !a"),
    ("O a", "true S a"),
    ("O a", "a | Y O a"),
    ("H a", "a & (!Y true | Y H a)"),
    ("a S b", "b | (a & Y(a S b))"),
    ("!(a S b)", "(!b) S (!a & !b) | H !b"),
    ("O O a", "O a"),
    ("H H a", "H a"),
    ("a S (a S b)", "a S b"),
    ("(a S b) S b", "a S b"),
    ("O(a S b)", "O b"),
    ("O(a | b)", "O a | O b"),
    ("H(a & b)", "H a & H b"),
    ("Y(a & b)", "Y a & Y b"),
    ("Y(a | b)", "Y a | Y b"),
    ("(a & b) S c", "(a S c) & (b S c)"),
    ("a S (b | c)", "(a S b) | (a S c)"),
    ("Y X a", "Y true & a"),
    ("Y O a", "count_before(a, >= 1)"),
    ("count_before(a, == 0)", "!Y O a"),
    ("count_before(a, <= 1)", "!Y O(a & Y O a)"),
];

/// Atoms about the whole run.
const SAME_ATOMS: &[(&str, &str)] = &[
    (r#"called("p")"#, r#"F now("p")"#),
    (r#"eventually("p")"#, r#"called("p")"#),
    (r#"always("p")"#, r#"G false | called("p")"#),
    (r#"in_order(["p", "q"])"#, r#"F(now("p") & X F now("q"))"#),
    (
        r#"before("p", "q")"#,
        r#"((!now("q")) U now("p")) & F now("q")"#,
    ),
    (r#"after("p", "q")"#, r#"before("q", "p")"#),
    (
        r#"all_before(["p", "q"], "r")"#,
        r#"before("p", "r") & before("q", "r")"#,
    ),
    (
        r#"branch_called("p", "q")"#,
        r#"called("p") & !called("q")"#,
    ),
    (r#"called_n("p", <= 1)"#, r#"G(now("p") -> !X F now("p"))"#),
    (r#"called_n("p", >= 1)"#, r#"called("p")"#),
    (r#"called_n("p", == 0)"#, r#"G !now("p")"#),
    (
        r#"called_n("p", == 2)"#,
        r#"called_n("p", >= 2) & called_n("p", < 3)"#,
    ),
    (r#"instance_before("p"[1], "q"[1])"#, r#"before("p", "q")"#),
    (
        r#"within_steps("p", "q", 2)"#,
        r#"(!now("p")) U (now("p") & (X now("q") | X X now("q")))"#,
    ),
    (r#"called_with("p", x=1)"#, r#"F matches("p", x=1)"#),
];

const DIFFERENT: &[(&str, &str)] = &[
    ("F G a", "G F a"),
    ("X !a", "!X a"),
    ("X true", "true"),
    ("G a", "a & X G a"),
    ("G F true", "F G true"),
    ("F a & F b", "F(a & b)"),
    ("G(a | b)", "G a | G b"),
    ("a U b", "a W b"),
    ("a U b", "b U a"),
    ("a U (b & c)", "(a U b) & (a U c)"),
    ("(a | b) U c", "(a U c) | (b U c)"),
    ("F(a & X b)", "F a & F b"),
    ("a R b", "a W b"),
    ("G a", "a"),
    ("F a", "X F a"),
    ("F(O a & b)", "F(a & b)"),
    ("F Y true", "F true"),
];

fn same(f: &Formula, g: &Formula) -> bool {
    f.equivalent_to(g)
        .unwrap_or_else(|error| panic!("{f}, {g}: {error}"))
}

#[test]
fn the_same() {
    assert!(SAME.len() + SAME_EVERYWHERE.len() >= 60);
    for (f, g) in SAME {
        assert!(same(&formula(f), &formula(g)), "{f} and {g}");
    }
    for (f, g) in SAME_EVERYWHERE {
        let both = formula(&format!("G((({f}) -> ({g})) & (({g}) -> ({f})))"));
        assert_eq!(both.counterexample().unwrap(), None, "{f} and {g}");
    }
    for (f, g) in SAME_ATOMS {
        assert!(
            same(&f.parse().unwrap(), &g.parse().unwrap()),
            "{f} and {g}"
        );
    }
}

#[test]
fn different() {
    for (f, g) in DIFFERENT {
        assert!(!same(&formula(f), &formula(g)), "{f} and {g}");
    }
    let (f, g) = (formula("F G a"), formula("G F a"));
    // They differ on the run without calls alone.
    assert!(f.implies(&g).unwrap());
    assert!((formula("F true") & g).implies(&f).unwrap());
}
