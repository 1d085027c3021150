/** Keys of a lesson's page. */
import { isTyping, type Shortcut } from "../studio/shortcuts";

/** What the list of keys says of them. */
export const LESSON_SHORTCUTS: readonly Shortcut[] = [
  { keys: ["Ctrl+Shift+Enter"], does: "check the exercise" },
  { keys: ["Alt+H"], does: "next hint" },
  { keys: ["Alt+PageUp", "Alt+PageDown"], does: "previous, next lesson" },
  { keys: ["Alt+4"], does: "to the exercise" },
];

/** Where Alt and a figure lead. */
const PARTS: Readonly<Record<string, string>> = {
  Digit1: "text",
  Digit2: "plan",
  Digit3: "receipt",
  Digit4: "exercise",
};

/** The id of the part that a key leads to. Where Alt types a letter, as on a Mac, the letter has precedence in a
 *  field. */
export function partOf(event: KeyboardEvent): string | undefined {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  if (isTyping(event) && !/^\d$/.test(event.key)) return undefined;
  return PARTS[event.code];
}

/** Whether a key asks for the next hint. */
export function asksForHint(event: KeyboardEvent): boolean {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.code !== "KeyH")
    return false;
  return !isTyping(event) || event.key.toLowerCase() === "h";
}
