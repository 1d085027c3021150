//! Source text with its comments and strings told apart, line for line. A rough reading, good
//! enough for checks of style: it knows no macros and no regular expressions.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Rust,
    /// TypeScript, JavaScript and Svelte.
    Script,
}

impl Language {
    pub fn of(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "rs" => Some(Self::Rust),
            "ts" | "js" | "mjs" | "svelte" => Some(Self::Script),
            _ => None,
        }
    }
}

/// A source file, read roughly.
pub struct Source {
    /// The lines without comments and with empty strings.
    pub code: Vec<String>,
    /// What stands in strings, with the line (from 1) where each begins.
    pub strings: Vec<(usize, String)>,
    /// For each line, whether it belongs to a module that is built for tests alone.
    pub in_tests: Vec<bool>,
}

impl Source {
    pub fn read(text: &str, language: Language) -> Self {
        let mut reader = Reader { rest: text, language, code: String::new(), strings: Vec::new(), line: 1 };
        while reader.step() {}
        let code: Vec<String> = reader.code.split('\n').map(str::to_owned).collect();
        let in_tests = test_lines(&code);
        Self { code, strings: reader.strings, in_tests }
    }

    /// The lines of code outside test modules, numbered from 1.
    pub fn shipped(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.code.iter().zip(&self.in_tests).enumerate();
        lines.filter(|(_, (_, in_tests))| !**in_tests).map(|(index, (line, _))| (index + 1, line.as_str()))
    }

    pub fn is_test_line(&self, line: usize) -> bool {
        line.checked_sub(1).and_then(|index| self.in_tests.get(index)).is_some_and(|in_tests| *in_tests)
    }
}

struct Reader<'a> {
    rest: &'a str,
    language: Language,
    code: String,
    strings: Vec<(usize, String)>,
    line: usize,
}

impl<'a> Reader<'a> {
    /// Reads one comment, string or character; false at the end.
    fn step(&mut self) -> bool {
        let rust = self.language == Language::Rust;
        if self.rest.starts_with("//") {
            self.drop_comment(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.drop_comment(block_comment(self.rest, rust));
        } else if !rust && self.rest.starts_with("<!--") {
            self.drop_comment(self.rest.find("-->").map_or(self.rest.len(), |end| end + 3));
        } else if let Some((opening, closing)) = self.raw_string().filter(|_| rust) {
            self.string(opening, &closing, false);
        } else if self.rest.starts_with('"') {
            self.string(1, "\"", true);
        } else if rust && self.rest.starts_with('\'') {
            self.rust_quote();
        } else if !rust && self.rest.starts_with('\'') {
            self.string(1, "'", true);
        } else if !rust && self.rest.starts_with('`') {
            self.string(1, "`", true);
        } else {
            let Some(next) = self.rest.chars().next() else {
                return false;
            };
            self.keep(next.len_utf8());
        }
        true
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn keep(&mut self, bytes: usize) {
        let taken = self.take(bytes);
        self.code.push_str(taken);
    }

    fn drop_comment(&mut self, bytes: usize) {
        let lines = self.take(bytes).matches('\n').count();
        self.code.push_str(&"\n".repeat(lines));
    }

    /// `r"`, `r#"`, `br##"`…: the length of the opening, and the closing.
    fn raw_string(&self) -> Option<(usize, String)> {
        let after_word = self.code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let prefix = ["r", "br", "cr"].into_iter().find(|&prefix| {
            let after = self.rest.strip_prefix(prefix);
            after.is_some_and(|after| after.trim_start_matches('#').starts_with('"'))
        })?;
        let hashes = self.rest[prefix.len()..].chars().take_while(|&c| c == '#').count();
        // `r#type` is a name, not a string; what stands after a word is neither.
        (!after_word).then(|| (prefix.len() + hashes + 1, format!("\"{}", "#".repeat(hashes))))
    }

    fn string(&mut self, opening: usize, closing: &str, escapes: bool) {
        let line = self.line;
        self.keep(opening);
        // Only a template runs over lines in a script: an apostrophe in a page's text ends there.
        let one_line = self.language == Language::Script && closing != "`";
        let mut end = 0;
        let mut chars = self.rest.char_indices();
        let mut closed = false;
        while let Some((index, c)) = chars.next() {
            end = index;
            if self.rest[index..].starts_with(closing) {
                closed = true;
                break;
            }
            if one_line && c == '\n' {
                break;
            }
            end = index + c.len_utf8();
            if escapes
                && c == '\\'
                && let Some((index, c)) = chars.next()
            {
                end = index + c.len_utf8();
            }
        }
        let content = self.take(end);
        self.strings.push((line, content.to_owned()));
        self.code.push_str(&"\n".repeat(content.matches('\n').count()));
        if closed {
            self.keep(closing.len());
        }
    }

    /// A character or a lifetime.
    fn rust_quote(&mut self) {
        let mut chars = self.rest.chars().skip(1);
        let length = match (chars.next(), chars.next()) {
            (Some('\\'), _) => {
                let escaped = self.rest.get(3..).and_then(|rest| rest.find('\''));
                escaped.map_or(1, |end| end + 4)
            }
            (Some(c), Some('\'')) => c.len_utf8() + 2,
            _ => 1,
        };
        if length == 1 {
            self.keep(1);
        } else {
            let lines = self.take(length).matches('\n').count();
            self.code.push_str("' '");
            self.code.push_str(&"\n".repeat(lines));
        }
    }
}

fn block_comment(text: &str, nests: bool) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") && (nests || depth == 0) {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth = depth.saturating_sub(1);
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Marks the items under `#[cfg(test)]`.
fn test_lines(code: &[String]) -> Vec<bool> {
    let mut marks = vec![false; code.len()];
    let mut inside: Option<usize> = None;
    let mut waiting = false;
    for (line, mark) in code.iter().zip(&mut marks) {
        if inside.is_none() && line.contains("#[cfg(test)]") {
            waiting = true;
        }
        *mark = waiting || inside.is_some();
        for c in line.chars() {
            match (c, inside) {
                ('{', None) if waiting => {
                    waiting = false;
                    inside = Some(1);
                }
                (';', None) => waiting = false,
                ('{', Some(depth)) => inside = Some(depth + 1),
                ('}', Some(depth)) => inside = depth.checked_sub(1).filter(|&depth| depth > 0),
                _ => {}
            }
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(text: &str) -> Source {
        Source::read(text, Language::Rust)
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        let source = rust("let a = \"std::fs\"; // std::env\n/* a /* b */ c\n */ let b = 1;");
        assert_eq!(source.code, ["let a = \"\"; ", "", " let b = 1;"]);
        assert_eq!(source.strings, [(1, "std::fs".to_owned())]);
    }

    #[test]
    fn raw_strings_end_at_their_own_quote() {
        let source = rust("f(r#\"a \"b\" \\\"#, r\"c\", br##\"d\"# \"##); r#type");
        let strings: Vec<&str> = source.strings.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(strings, ["a \"b\" \\", "c", "d\"# "]);
        assert!(source.code[0].ends_with("r#type"));
    }

    #[test]
    fn a_quote_is_a_character_or_a_lifetime() {
        let source = rust("fn f<'a>(x: &'a str) { x.find('\"'); x.find('\\''); '\\u{1F600}' }");
        assert!(source.strings.is_empty(), "no string begins in a character: {:?}", source.strings);
        assert!(source.code[0].contains("<'a>"));
    }

    #[test]
    fn escapes_do_not_end_a_string_and_lines_are_counted() {
        let source = rust("let a = \"x\\\"\ny\";\nlet b = \"z\";");
        assert_eq!(source.strings, [(1, "x\\\"\ny".to_owned()), (3, "z".to_owned())]);
        assert_eq!(source.code.len(), 3);
    }

    #[test]
    fn an_apostrophe_in_a_page_ends_with_its_line() {
        let source = Source::read("<p>don't</p>\nlet a = 'b';<!-- 'c' -->", Language::Script);
        assert_eq!(source.strings[1], (2, "b".to_owned()));
        assert_eq!(source.code[1], "let a = '';");
    }

    #[test]
    fn test_modules_are_marked_to_their_end() {
        let source = rust("fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\nfn c() {}");
        assert_eq!(source.in_tests, [false, true, true, true, true, false]);
        let shipped: Vec<usize> = source.shipped().map(|(line, _)| line).collect();
        assert_eq!(shipped, [1, 6]);
    }

    #[test]
    fn a_test_attribute_on_a_declaration_ends_with_it() {
        let source = rust("#[cfg(test)]\nmod tests;\nfn c() {}");
        assert_eq!(source.in_tests, [true, true, false]);
    }

    #[test]
    fn unfinished_text_is_read_to_its_end() {
        for text in ["\"open", "/* open", "r#\"open", "'", "'\\", "`open", "<!-- open", "é'é\"é"] {
            Source::read(text, Language::Rust);
            Source::read(text, Language::Script);
        }
    }
}
