//! The guide. `book/src` is read with `mdbook serve book`; its Rust blocks are compiled and run by
//! `cargo test -p agentltl-book`.

/// The chapters, whose blocks are tests.
macro_rules! chapters {
    ($($module:ident = $file:literal;)*) => {
        /// The chapters, by file.
        #[cfg(test)]
        const CHAPTERS: &[&str] = &[$($file),*];
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("src/", $file))]
            mod $module {}
        )*
    };
}

chapters! {
    introduction = "introduction.md";
    first_policy = "first-policy.md";
    severities = "severities.md";
    safety = "safety.md";
    called_or_now = "called-or-now.md";
    past = "past.md";
    quantifiers = "quantifiers.md";
    rust_code = "rust-code.md";
    analysis = "analysis.md";
    own_loop = "own-loop.md";
    agent = "agent.md";
    in_rig = "rig.md";
    mcp = "mcp.md";
    scoring = "scoring.md";
    testing = "testing.md";
    command_line = "command-line.md";
    semantics = "semantics.md";
    python = "python.md";
    performance = "performance.md";
}

/// The README of the workspace.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::error::Error;
    use std::fs;
    use std::path::Path;

    use agentltl::testing::Transcript;
    use agentltl::{Policy, Trace, verify};

    /// A chapter that is not listed would not be compiled, and one that is not in the summary not read.
    #[test]
    fn every_chapter_is_tested_and_in_the_summary() -> Result<(), Box<dyn Error>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let summary = fs::read_to_string(folder.join("SUMMARY.md"))?;
        let in_summary: BTreeSet<&str> = summary
            .split("](")
            .skip(1)
            .filter_map(|link| link.split(')').next())
            .collect();
        let mut there = BTreeSet::new();
        for entry in fs::read_dir(&folder)? {
            there.insert(entry?.file_name().to_string_lossy().into_owned());
        }
        there.remove("SUMMARY.md");
        let tested: BTreeSet<&str> = super::CHAPTERS.iter().copied().collect();
        assert_eq!(tested, there.iter().map(String::as_str).collect());
        assert_eq!(tested, in_summary);
        Ok(())
    }

    /// The blocks of a language in a chapter.
    fn blocks(chapter: &str, language: &str) -> Result<Vec<String>, Box<dyn Error>> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src")
            .join(chapter);
        let text = fs::read_to_string(file)?;
        let start = format!("```{language}\n");
        Ok(text
            .split(&start)
            .skip(1)
            .filter_map(|rest| rest.split("```").next())
            .map(str::to_owned)
            .collect())
    }

    #[test]
    fn policies_in_toml_can_be_read() -> Result<(), Box<dyn Error>> {
        let mut read = 0;
        for chapter in super::CHAPTERS {
            for block in blocks(chapter, "toml")? {
                Policy::from_toml(&block).map_err(|error| format!("{chapter}: {error}"))?;
                read += 1;
            }
        }
        assert!(read > 0);
        Ok(())
    }

    /// What the command is shown to print is what the library says, which the command prints.
    #[test]
    fn the_command_prints_that() -> Result<(), Box<dyn Error>> {
        let chapter = "command-line.md";
        let policy = Policy::from_toml(&blocks(chapter, "toml")?.concat())?;
        let run = Trace::from_jsonl(&blocks(chapter, "json")?.concat())?;
        let shown = blocks(chapter, "text")?.concat();
        let report = verify(&policy, &run).to_string();
        let transcript = Transcript::of(&policy, &run)?.to_string();
        for line in report.lines().chain(transcript.lines()) {
            assert!(shown.contains(line), "not shown: {line}");
        }
        Ok(())
    }

    /// Links between chapters lead somewhere.
    #[test]
    fn links_lead_to_chapters() -> Result<(), Box<dyn Error>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for chapter in super::CHAPTERS {
            let text = fs::read_to_string(folder.join(chapter))?;
            for link in text
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split(')').next())
            {
                let file = link.split('#').next().unwrap_or(link);
                if file.ends_with(".md") {
                    assert!(folder.join(file).exists(), "{chapter} links to {link}");
                }
            }
        }
        Ok(())
    }
}
