/** The JSON editor. It lives in a shadow root: there CodeMirror's styles are adopted as constructed sheets, which
 *  the page's policy allows, where a style element in the document would be refused. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** What the editor tells its owner. */
export interface EditorHooks {
  readonly changed: (text: string) => void;
  readonly run: () => void;
}

/** Ink weights; colours have other meanings here. */
const INK = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--ink)", fontWeight: "560" },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: "var(--ink-2)" },
  { tag: tags.punctuation, color: "var(--ink-3)" },
]);

const LOOK = EditorView.theme({
  "&": {
    backgroundColor: "var(--inset)",
    color: "var(--ink-2)",
    fontSize: "var(--t-code)",
    borderBlock: "1px solid var(--line)",
  },
  "&.cm-focused": { outline: "none", boxShadow: "inset 0 0 0 2px var(--ink)" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    fontStretch: "var(--mono-width)",
    fontWeight: "360",
    fontVariantLigatures: "none",
    lineHeight: "1.65",
    minHeight: "12rem",
    maxHeight: "26rem",
    overflow: "auto",
  },
  ".cm-content": { caretColor: "var(--ink)", padding: "var(--s2) 0" },
  ".cm-cursor": { borderLeft: "2px solid var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-3)", border: "0", fontWeight: "300" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--ink) 6%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--ink) 18%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--edge)" },
});

/** Typing over a selection is done here: left to the browser, it would keep the look of the replaced text in an
 *  inline style, which the page's policy refuses. */
const TYPE_OVER = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || event.data === null || view.state.selection.main.empty)
      return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

/** Opens an editor in a host element. */
export function openEditor(host: HTMLElement, text: string, label: string, hooks: EditorHooks): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const run = Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (hooks.run(), true) }]));
  const state = EditorState.create({
    doc: text,
    extensions: [
      run,
      lineNumbers(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      highlightActiveLine(),
      json(),
      syntaxHighlighting(INK),
      LOOK,
      TYPE_OVER,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) hooks.changed(update.state.doc.toString());
      }),
      keymap.of([...defaultKeymap, ...historyKeymap]),
    ],
  });
  return new EditorView({ state, parent: root, root });
}
