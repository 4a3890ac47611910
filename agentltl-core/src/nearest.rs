//! The nearest name to a misspelt one.

/// The candidate with the fewest edits from `word`, if that is at most a third of its length.
///
/// An edit inserts, deletes or replaces a character, or swaps two neighbours. Letters are compared
/// without regard to case; the first of equally near candidates wins.
///
/// ```
/// use agentltl_core::nearest;
/// assert_eq!(nearest("calld", ["called", "called_n", "now"]), Some("called"));
/// assert_eq!(nearest("xyz", ["called", "now"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word
        .chars()
        .flat_map(char::to_lowercase)
        .take(100)
        .collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate
            .chars()
            .flat_map(char::to_lowercase)
            .take(100)
            .collect();
        let allowed = word.len().max(letters.len()).div_ceil(3);
        if word.len().abs_diff(letters.len()) > allowed {
            continue;
        }
        let edits = distance(&word, &letters);
        if edits <= allowed
            && edits < word.len().max(letters.len())
            && best.is_none_or(|(least, _)| edits < least)
        {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Optimal string alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut edits = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                edits = edits.min(before[j - 2] + 1);
            }
            row.push(edits);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn swaps_and_case_are_cheap() {
        assert_eq!(nearest("CALELD", ["called"]), Some("called"));
        assert_eq!(nearest("befroe", ["before", "after"]), Some("before"));
        assert_eq!(nearest("", ["G"]), None);
        assert_eq!(nearest("Q", ["G"]), None);
    }
}
