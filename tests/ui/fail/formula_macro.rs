use agentltl::{Formula, formula};

fn order() -> Formula {
    formula!(before("a", "b") & calld("c"))
}

fn main() {
    let empty = formula!();
    let text: Formula = formula!("called(a)");
    println!("{empty}{text}{}", order());
}
