/** A command line as a shell such as bash reads it: quotes, escapes and continued lines. Nothing is run, and nothing
 *  is looked up: what only a shell could know is refused. */

/** What stands in a command that this page can't take. */
export class CommandFault extends Error {
  override readonly name = "CommandFault";
}

/** What ends a simple command: the rest is the shell's business. */
const ENDS: ReadonlySet<string> = new Set(["|", ";", "&", ">", "<"]);

const ANSI_ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

/** The words of the first command in a text. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  const add = (letters: string): void => void (word = (word ?? "") + letters);
  while (at < text.length) {
    const letter = text.charAt(at);
    if (letter === "\\") {
      const [continued] = /^\\[ \t]*\r?\n/.exec(text.slice(at)) ?? [];
      if (continued === undefined) add(text.charAt(at + 1));
      at += continued?.length ?? 2;
    } else if (letter === "'") {
      const end = closing(text, at, "'");
      add(text.slice(at + 1, end));
      at = end + 1;
    } else if (letter === '"') {
      at = doubleQuoted(text, at, add);
    } else if (letter === "$" && text.charAt(at + 1) === "'") {
      at = ansiQuoted(text, at, add);
    } else if (letter === "$" || letter === "`") {
      throw new CommandFault(variableText(text.slice(at)));
    } else if (ENDS.has(letter) || letter === "\n") {
      if (word !== null) words.push(word);
      word = null;
      if (words.length > 0) return words;
      at += 1;
    } else if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
      at += 1;
    } else {
      add(letter);
      at += 1;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

function doubleQuoted(text: string, start: number, add: (letters: string) => void): number {
  add("");
  for (let at = start + 1; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '"') return at + 1;
    const next = text.charAt(at + 1);
    if (letter === "\\" && next === "\n") at += 1;
    else if (letter === "\\" && '"\\$`'.includes(next) && next !== "") {
      add(next);
      at += 1;
    } else if ((letter === "$" && /[A-Za-z_{(]/.test(next)) || letter === "`")
      throw new CommandFault(variableText(text.slice(at)));
    else add(letter);
  }
  throw new CommandFault('A quote " is not closed.');
}

function ansiQuoted(text: string, start: number, add: (letters: string) => void): number {
  add("");
  for (let at = start + 2; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === "'") return at + 1;
    if (letter === "\\") {
      at += 1;
      add(ANSI_ESCAPES[text.charAt(at)] ?? `\\${text.charAt(at)}`);
    } else add(letter);
  }
  throw new CommandFault("A quote $' is not closed.");
}

function closing(text: string, start: number, quote: string): number {
  const end = text.indexOf(quote, start + 1);
  if (end < 0) throw new CommandFault(`A quote ${quote} is not closed.`);
  return end;
}

function variableText(rest: string): string {
  const [name = "$"] = /^\$?[\w{(`]*[})`]?/.exec(rest) ?? [];
  return `Only a shell knows what ${name} stands for. Write its value, or put it in single quotes.`;
}
