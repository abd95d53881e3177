//! Unsafe code exists in the files that the head of the crate names, and nowhere else in the core,
//! the addon, the WebAssembly module and the check of constant time.

use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// Folders of other Rust sources, relative to the crate.
const OTHERS: [&str; 4] = [
    "../addon/src",
    "../addon/build.rs",
    "../constant-time/src",
    "../../wasm/src",
];

fn sources(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in read_dir(path).expect("a readable folder") {
            sources(&entry.expect("an entry").path(), out);
        }
    } else if path.extension().is_some_and(|end| end == "rs") {
        out.push(path.to_owned());
    }
}

/// Whether a line of code has the word by itself. Lines that are comments have no code; a comment
/// behind code counts as code, so that nothing behind a `//` within a text is overlooked.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    !line.trim_start().starts_with("//")
        && line.match_indices(word).any(|(at, _)| {
            !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part)
        })
}

/// Whether code is unsafe, or the lint against it is switched off.
fn is_unsafe(code: &str) -> bool {
    code.lines().any(|line| {
        let allows = ["allow", "expect", "warn"]
            .iter()
            .any(|level| has_word(line, level));
        has_word(line, "unsafe") || (allows && has_word(line, "unsafe_code"))
    })
}

/// The files between backticks below "# Unsafe code" in the crate's head.
fn named(head: &str) -> BTreeSet<String> {
    let (_, below) = head.split_once("//! # Unsafe code\n").expect("the heading");
    let (section, _) = below.split_once("//! #").expect("another heading");
    let names = section.split('`').filter(|name| name.ends_with(".rs"));
    names.map(str::to_owned).collect()
}

#[test]
fn unsafe_code_is_where_the_crate_says() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = core.join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    for other in OTHERS {
        let before = files.len();
        sources(&core.join(other), &mut files);
        assert!(files.len() > before, "no source in {other}");
    }
    let found: BTreeSet<String> = files
        .iter()
        .filter(|file| is_unsafe(&read_to_string(file).expect("a source")))
        .map(|file| {
            file.strip_prefix(&root)
                .or_else(|_| file.strip_prefix(core.join("..")))
                .unwrap_or(file)
                .display()
                .to_string()
        })
        .collect();
    let head = read_to_string(root.join("lib.rs")).expect("the head");
    assert_eq!(found, named(&head));
}

#[test]
fn unsafe_code_is_found_in_every_spelling() {
    for code in [
        "unsafe { read() }",
        "let x = 1; unsafe fn f() {}",
        "pub unsafe extern \"C\" fn f();",
        "#![allow(unsafe_code)]",
        "    #[expect(unsafe_code, reason = \"needed\")]",
        "let address = \"https://a\"; unsafe { read() }",
    ] {
        assert!(is_unsafe(code), "{code}");
    }
    for code in [
        "//! `unsafe` is not used here",
        "    // unsafe { }",
        "#![deny(missing_docs, unsafe_code)]",
        "let is_unsafe = unsafe_code;",
    ] {
        assert!(!is_unsafe(code), "{code}");
    }
}
