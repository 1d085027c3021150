/** CSV as RFC 4180 has it, with commas, semicolons or tabs: records of fields, quotes doubled inside quotes. */

/** One record: where it begins, and its fields. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/** A CSV text, or the line at which it stops being one. */
export type Csv = { readonly records: readonly CsvRecord[] } | { readonly fault: string };

/** Reads a CSV text; empty lines are none of its records. */
export function readCsv(text: string): Csv {
  const source = text.replace(/^\uFEFF/, "");
  const separator = separatorOf(source);
  const records: CsvRecord[] = [];
  let fields: string[] = [];
  let [at, line, begun] = [0, 1, 1];
  const end = (): void => {
    if (fields.length > 1 || fields[0] !== "") records.push({ line: begun, fields });
    fields = [];
  };
  for (;;) {
    let field = "";
    if (source.charAt(at) === '"') {
      for (at += 1; ; at += 1) {
        const letter = source.charAt(at);
        if (letter === "") return { fault: `Line ${begun}: a quote is not closed.` };
        if (letter === '"') {
          if (source.charAt(at + 1) !== '"') break;
          at += 1;
        }
        if (letter === "\n") line += 1;
        field += letter;
      }
      at += 1;
      if (at < source.length && ![separator, "\n", "\r"].includes(source.charAt(at)))
        return {
          fault: `Line ${line}: after a closing quote the field ends, and ${source.charAt(at)} stands there.`,
        };
    } else {
      const start = at;
      while (at < source.length && ![separator, "\n", "\r"].includes(source.charAt(at))) at += 1;
      field = source.slice(start, at);
    }
    fields.push(field);
    const sign = source.charAt(at);
    if (sign === separator) {
      at += 1;
      continue;
    }
    end();
    if (sign === "") return { records };
    at += source.startsWith("\r\n", at) ? 2 : 1;
    line += 1;
    begun = line;
    if (at === source.length) return { records };
  }
}

/** The sign that stands most often in the first line. */
function separatorOf(text: string): string {
  const [first = ""] = text.split("\n", 1);
  const count = (sign: string): number => first.split(sign).length;
  return [";", "\t"].find((sign) => count(sign) > count(",")) ?? ",";
}
