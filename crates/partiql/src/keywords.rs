//! The words that are no names unless they are quoted.

/// All keywords, in lower case and in order.
const KEYWORDS: &str = "absolute action add all allocate alter and any are as asc assertion at authorization \
avg bag begin between bigint bit bit_length blob bool boolean by can_cast can_lossless_cast cascade cascaded \
case cast catalog char char_length character character_length check clob close coalesce collate collation \
column commit conflict connect connection constraint constraints continue convert corresponding count create \
cross current current_date current_time current_timestamp current_user cursor date date_add date_diff \
deallocate dec decimal declare default deferrable deferred delete desc describe descriptor diagnostics \
disconnect distinct do domain double drop else end escape except exception exec execute exists external \
extract false fetch first float for foreign found from full get global go goto grant group having identity \
immediate in index indicator initially inner input insensitive insert int int4 int8 integer integer2 integer4 \
integer8 intersect interval into is isolation join key language last left let level like limit list local \
lower match max min missing modified module names national natural nchar new next no not nothing null nullif \
nulls numeric octet_length of offset old on only open option or order outer output overlaps pad partial pivot \
position precision prepare preserve primary prior privileges procedure public read real references relative \
remove restrict returning revoke right rollback rows schema scroll section select session session_user set \
sexp size smallint some space sql sqlcode sqlerror sqlstate string struct substring sum symbol system_user \
table temporary then time timestamp to transaction translate trim true tuple union unique unknown unpivot \
update upper usage user using value values varchar varying view when whenever where with work write zone";

/// The words that name types behind IS. Two of them take a second word.
const TYPES: &str = "bag blob bool boolean char character clob date dec decimal double float int int4 int8 \
integer integer2 integer4 integer8 list missing null numeric real sexp smallint string struct symbol time \
timestamp tuple varchar any";

fn stands_in(words: &'static str, word: &str) -> Option<&'static str> {
    words.split(' ').find(|known| known.eq_ignore_ascii_case(word))
}

/// The keyword that a word is, in lower case.
pub(crate) fn keyword(word: &str) -> Option<&'static str> {
    stands_in(KEYWORDS, word)
}

/// Whether a keyword names a type.
pub(crate) fn is_type(keyword: &str) -> bool {
    stands_in(TYPES, keyword).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_in_order_and_there_once() {
        let words: Vec<&str> = KEYWORDS.split(' ').collect();
        assert!(words.is_sorted_by(|one, two| one < two), "{words:?}");
        assert!(TYPES.split(' ').all(|word| keyword(word).is_some()), "types are keywords");
        assert_eq!(keyword("Select"), Some("select"));
        assert_eq!(keyword("status"), None);
    }
}
