//! The words of a command as a shell would part them, without a shell: no variables, no patterns, no pipes.

/// Parts a command into words; nothing if a quote is not closed.
pub(super) fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        other => word.push(other),
                    }
                }
            }
            '"' => double(&mut letters, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(letters.next()?),
            space if space.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

/// Within double quotes a backslash only escapes a quote or itself.
fn double(letters: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match letters.next()? {
            '"' => return Some(()),
            '\\' => match letters.next()? {
                quoted @ ('"' | '\\') => word.push(quoted),
                other => word.extend(['\\', other]),
            },
            other => word.push(other),
        }
    }
}

/// The words as one line that [`split`] parts into the same words.
pub(super) fn join(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let plain = |letter: char| letter.is_alphanumeric() || "-_./=:,@%+".contains(letter);
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
