import { editor, Range } from 'monaco-editor/editor/editor.api.js';
import { nameHiddenCharacters } from './hidden-characters.ts';
import { look } from './monaco.ts';
import './diff.css';

/** A line to point out: it differs, but is not compared. */
export interface IgnoredLine {
  /** From 1. */
  readonly line: number;
  /** Why, such as `ignored: time`. */
  readonly note: string;
}

/** A text of a comparison. */
export interface DiffText {
  readonly text: string;
  readonly ignored: readonly IgnoredLine[];
}

export interface MountedDiff {
  setTexts(left: DiffText, right: DiffText): void;
  /** Scrolls to a line of each side; null to leave a side. */
  reveal(left: number | null, right: number | null): void;
  focus(): void;
  dispose(): void;
}

/** Mounts an editor that shows two JSON texts side by side, and what differs. */
export function mountDiff(
  element: HTMLElement,
  { leftLabel, rightLabel }: { readonly leftLabel: string; readonly rightLabel: string },
): MountedDiff {
  const mounted = editor.createDiffEditor(element, {
    ...look(),
    readOnly: true,
    domReadOnly: true,
    originalEditable: false,
    renderSideBySide: true,
    // Two columns however narrow: the heads above are two columns too.
    useInlineViewWhenSpaceIsLimited: false,
    renderOverviewRuler: false,
    renderMarginRevertIcon: false,
    renderGutterMenu: false,
    renderIndicators: true,
    ignoreTrimWhitespace: false,
    diffWordWrap: 'on',
    enableSplitViewResizing: false,
    lineNumbers: 'on',
    lineNumbersMinChars: 3,
    lineDecorationsWidth: 14,
    folding: false,
    guides: { indentation: false, bracketPairs: false },
    occurrencesHighlight: 'off',
    selectionHighlight: false,
    originalAriaLabel: leftLabel,
    modifiedAriaLabel: rightLabel,
  });
  const models = {
    original: editor.createModel('', 'json'),
    modified: editor.createModel('', 'json'),
  };
  mounted.setModel(models);
  // The labels of the options are lost when the diff editor adjusts those of its two editors.
  mounted.getOriginalEditor().updateOptions({ ariaLabel: leftLabel });
  mounted.getModifiedEditor().updateOptions({ ariaLabel: rightLabel });
  nameHiddenCharacters(mounted.getOriginalEditor());
  nameHiddenCharacters(mounted.getModifiedEditor());
  const notes = [
    mounted.getOriginalEditor().createDecorationsCollection(),
    mounted.getModifiedEditor().createDecorationsCollection(),
  ] as const;
  return {
    setTexts(left, right) {
      models.original.setValue(left.text);
      models.modified.setValue(right.text);
      notes[0].set(left.ignored.map(decorationOf));
      notes[1].set(right.ignored.map(decorationOf));
    },
    reveal(left, right) {
      if (left !== null) mounted.getOriginalEditor().revealLineInCenterIfOutsideViewport(left);
      if (right !== null) mounted.getModifiedEditor().revealLineInCenterIfOutsideViewport(right);
    },
    focus: () => mounted.getModifiedEditor().focus(),
    dispose() {
      mounted.dispose();
      models.original.dispose();
      models.modified.dispose();
    },
  };
}

const decorationOf = ({ line, note }: IgnoredLine): editor.IModelDeltaDecoration => ({
  range: new Range(line, 1, line, Number.MAX_SAFE_INTEGER),
  options: {
    isWholeLine: true,
    className: 'diff-ignored-line',
    zIndex: 20,
    inlineClassName: 'diff-ignored',
    after: { content: `   ${note}`, inlineClassName: 'diff-ignored-note' },
  },
});
