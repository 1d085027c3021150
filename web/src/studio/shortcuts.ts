/** Keys of the whole page, and the list that `?` opens. A page never takes a key while a letter is being typed. */

/** One line of the list. */
export interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
}

/** What the list says. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ["Ctrl+Enter"], does: "run the request" },
  { keys: ["Enter"], does: "in a parameter’s field: run the request" },
  { keys: ["Esc"], does: "stop the request; close a list or sheet" },
  { keys: ["Ctrl+Alt+Z"], does: "undo the last request that changed something" },
  { keys: ["Alt+1", "Alt+2", "Alt+3"], does: "to the request, the plan, the receipt" },
  { keys: ["J", "K"], does: "in the plan: next, previous item" },
  { keys: ["Home", "End"], does: "in the plan: ends of the room" },
  { keys: ["[", "]"], does: "in the plan: previous, next room" },
  { keys: ["Ctrl+Space"], does: "in the editor: what can stand here" },
  { keys: ["F8"], does: "in the editor: next finding" },
  { keys: ["Esc", "Tab"], does: "one after the other: leave the editor" },
  { keys: ["?"], does: "this list" },
];

/** The parts that Alt and a figure lead to, by their ids. */
export const PARTS: Readonly<Record<string, string>> = {
  Digit1: "questions",
  Digit2: "plan",
  Digit3: "receipt",
};

/** Whether a key belongs to what has the focus: a field, a list, or an editor. */
export function isTyping(event: KeyboardEvent): boolean {
  return event
    .composedPath()
    .some(
      (target) =>
        target instanceof HTMLElement &&
        (target.isContentEditable || target.matches("input, textarea, select")),
    );
}

const KEY = "keyplan.question-mark";

/** Whether `?` opens the list: a key without a modifier can be switched off. */
export function listensForQuestionMark(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

/** Switches the key on or off. */
export function listenForQuestionMark(on: boolean): void {
  try {
    if (on) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, "off");
  } catch {
    // A browser that keeps nothing listens again on the next page.
  }
}
