//! Names near to one that does not exist: "did you mean …?" for tools, servers and arguments.

/// How many names are given at most.
const MOST: usize = 3;
/// Longer names are not compared: the distance takes time in the product of both lengths, and a server chooses its names.
const LONGEST: usize = 128;

/// The candidates that `name` is likely a slip of, nearest first; at most three, each once.
///
/// A candidate counts when its edit distance (insertion, deletion, substitution, swap of neighbours; letter case is free) is
/// at most a third of the longer name, or when one name holds the other.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted: Vec<char> = folded(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return Vec::new();
    }
    let mut found: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates {
        let letters = folded(candidate);
        if letters.is_empty() || letters.len() > LONGEST || found.iter().any(|(_, known)| *known == candidate) {
            continue;
        }
        let longer = wanted.len().max(letters.len());
        let distance = distance(&wanted, &letters);
        let allowed = longer.div_ceil(3);
        if distance <= allowed {
            found.push((distance, candidate));
        } else if holds(&wanted, &letters) || holds(&letters, &wanted) {
            // Behind every real slip.
            found.push((LONGEST + distance, candidate));
        }
    }
    // The sort is stable: equal distances keep the order of the list.
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().take(MOST).map(|(_, candidate)| candidate.to_owned()).collect()
}

/// The end of a sentence: `; did you mean `a` or `b`?`, or nothing.
pub fn did_you_mean(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => format!("; did you mean `{only}`?"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("; did you mean {} or `{last}`?", first.join(", "))
        }
    }
}

fn folded(name: &str) -> Vec<char> {
    name.chars().take(LONGEST + 1).flat_map(char::to_lowercase).collect()
}

/// Whether `part`, of three letters or more, stands in `whole`.
fn holds(whole: &[char], part: &[char]) -> bool {
    part.len() >= 3 && whole.windows(part.len()).any(|window| window == part)
}

/// The optimal string alignment distance.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let changed = last[column] + usize::from(a != b);
            let mut best = changed.min(last[column + 1] + 1).min(line[column] + 1);
            if row > 0 && column > 0 && *a == right[column - 1] && left[row - 1] == *b {
                best = best.min(before_last[column - 1] + 1);
            }
            line.push(best);
        }
        before_last = std::mem::replace(&mut last, line);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_leaves_strangers_out() {
        let tools = ["echo", "add", "slow", "return_error", "throw_error", "read_file", "ECHO2", "add"];
        for (typed, expected) in [
            ("ehco", vec!["echo", "ECHO2"]),
            ("Echo", vec!["echo", "ECHO2"]),
            ("ad", vec!["add"]),
            ("error", vec!["throw_error", "return_error"]),
            ("read-file", vec!["read_file"]),
            ("readFile", vec!["read_file"]),
            ("zzzzzzzz", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(nearest(typed, tools), expected, "{typed}");
        }
        assert!(nearest(&"x".repeat(100_000), tools).is_empty());
        assert_eq!(nearest("abcd", ["abce", "abcf", "abcg", "abch"]).len(), 3);
    }

    #[test]
    fn the_sentence_lists_every_name() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(did_you_mean(&names(&[])), "");
        assert_eq!(did_you_mean(&names(&["a"])), "; did you mean `a`?");
        assert_eq!(did_you_mean(&names(&["a", "b", "c"])), "; did you mean `a`, `b` or `c`?");
    }
}
