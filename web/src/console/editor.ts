/** The JSON editor. It lives in a shadow root: there CodeMirror's styles are adopted as constructed sheets, which
 *  the page's policy allows, where a style element in the document would be refused. */
import {
  autocompletion,
  completionKeymap,
  startCompletion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
import { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  type DecorationSet,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Finding } from "../request/check";
import { candidatesAt, type Surroundings } from "../request/complete";
import { placeAt } from "./editor-place";

/** What the editor tells its owner. */
export interface EditorHooks {
  readonly changed: (text: string) => void;
  readonly run: () => void;
  /** Whether a pasted text was taken as something else than text. */
  readonly paste: (text: string) => boolean;
  /** What a completion has to know. */
  readonly around: () => Surroundings;
}

/** An editor that is open. */
export interface OpenEditor {
  /** Puts a text in the place of what stands there, unless it is the same. */
  take(text: string): void;
  /** Marks the places of findings. */
  mark(findings: readonly Finding[]): void;
  close(): void;
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
  ".cm-found-error": { textDecoration: "underline wavy var(--error)", textUnderlineOffset: "3px" },
  ".cm-found-warning": { borderBottom: "2px dashed var(--ink-2)" },
  ".cm-tooltip": {
    backgroundColor: "var(--sheet)",
    border: "1px solid var(--wall)",
    boxShadow: "var(--lift-2)",
    color: "var(--ink-2)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono)",
    fontStretch: "var(--mono-width)",
    fontSize: "var(--t-code)",
    maxHeight: "14rem",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    justifyContent: "space-between",
    gap: "1rem",
    padding: "0.28rem 0.75rem",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--ink)", color: "var(--on-ink)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionDetail": { fontStyle: "normal", marginLeft: "0" },
  ".cm-completionInfo": { padding: "0.5rem 0.75rem", fontFamily: "var(--sans)", maxWidth: "20rem" },
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

const setFindings = StateEffect.define<readonly Finding[]>();

/** The findings' places, which move along as the text before them changes. */
const FINDINGS = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let moved = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setFindings)) continue;
      const { length } = transaction.state.doc;
      const within = effect.value.filter(({ from, to }) => from < to && to <= length);
      moved = Decoration.set(
        within.map(({ from, to, weight }) =>
          Decoration.mark({ class: `cm-found-${weight}` }).range(from, to),
        ),
        true,
      );
    }
    return moved;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** F8: to the next finding, and round again. */
function nextFinding(view: EditorView): boolean {
  const places: number[] = [];
  view.state.field(FINDINGS).between(0, view.state.doc.length, (from) => void places.push(from));
  const here = view.state.selection.main.head;
  const next = places.find((place) => place > here) ?? places[0];
  if (next === undefined) return false;
  view.dispatch({ selection: { anchor: next }, scrollIntoView: true });
  return true;
}

/** What completes what is being written. */
function completer(around: () => Surroundings) {
  return (context: CompletionContext): CompletionResult | null => {
    const at = placeAt(syntaxTree(context.state), context.state.doc.toString(), context.pos);
    if (at === null || (!context.explicit && at.written === "" && !at.quoted)) return null;
    const candidates = candidatesAt(at.place, around());
    if (candidates.length === 0) return null;
    return {
      from: at.from,
      options: candidates.map(({ label, detail, about }) => ({
        label,
        detail,
        ...(about === undefined ? {} : { info: about }),
        apply: at.quoted ? label : at.place.writes === "name" ? `"${label}": ` : `"${label}"`,
      })),
      validFor: /^[:#]?\w*$/,
    };
  };
}

/** Opens an editor in a host element. */
export function openEditor(host: HTMLElement, text: string, label: string, hooks: EditorHooks): OpenEditor {
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
      autocompletion({ override: [completer(hooks.around)], icons: false, interactionDelay: 0 }),
      FINDINGS,
      EditorView.domEventHandlers({
        paste(event) {
          const pasted = event.clipboardData?.getData("text/plain") ?? "";
          if (!hooks.paste(pasted)) return false;
          event.preventDefault();
          return true;
        },
      }),
      syntaxHighlighting(INK),
      LOOK,
      TYPE_OVER,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) hooks.changed(update.state.doc.toString());
      }),
      keymap.of([
        { key: "F8", run: nextFinding },
        // A name in quotes opens the list of names.
        { key: '"', run: (view) => (setTimeout(() => startCompletion(view), 30), false) },
        ...completionKeymap,
        ...defaultKeymap,
        ...historyKeymap,
      ]),
    ],
  });
  const view = new EditorView({ state, parent: root, root });
  // Lines that were measured in a fallback face would keep its height beside their numbers.
  void document.fonts.ready.then(() => view.requestMeasure());
  return {
    take(wanted) {
      const { doc } = view.state;
      if (doc.toString() !== wanted) view.dispatch({ changes: { from: 0, to: doc.length, insert: wanted } });
    },
    mark: (findings) => view.dispatch({ effects: setFindings.of(findings) }),
    close: () => view.destroy(),
  };
}
