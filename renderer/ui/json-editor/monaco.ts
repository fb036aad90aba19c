import { editor, KeyCode, KeyMod, MarkerSeverity, Range, Uri } from 'monaco-editor/editor/editor.api.js';
import 'monaco-editor/features/register.all.js';
import { jsonDefaults } from 'monaco-editor/languages/features/json/register.js';
import { currentScheme, onColorScheme, tokenColour } from '../color-scheme.ts';
import { matchesShortcut } from '../shortcut.ts';
import { type EditorAssistant, followAssistants } from './assistant.ts';
import { toEditorSchema } from './editor-schema.ts';
import { nameHiddenCharacters } from './hidden-characters.ts';
import { textEdits } from './text-edits.ts';

/**
 * Monaco for one JSON document. Loaded on first use. Registers all features up front, because the JSON mode loads them
 * anyway, but too late for the editor; unwanted ones are turned off below.
 */

window.MonacoEnvironment = {
  getWorker: (_: string, label: string) =>
    label === 'json'
      ? new Worker(new URL('./json.worker.ts', import.meta.url), { type: 'module' })
      : new Worker(new URL('./editor.worker.ts', import.meta.url), { type: 'module' }),
};

const THEME = 'sightglass';

followTheme();

export interface EditorOptions {
  readonly value: string;
  /** Accessible name. */
  readonly label: string;
  readonly onChange: (value: string) => void;
  /** Ctrl/Cmd+Enter. */
  readonly onSubmit: () => void;
  /** Called with the height of the text, in pixels. */
  readonly onHeight: (height: number) => void;
  /** Takes the place of the suggestions and hovers that a schema gives. */
  readonly assistant?: EditorAssistant | undefined;
  /** Whether the text is plain, not JSON, so that the editor changes nothing while the user types. */
  readonly isPlain?: boolean | undefined;
  readonly hasLineNumbers?: boolean | undefined;
  /** Shown while there is no text. */
  readonly placeholder?: string | undefined;
}

/** Something to point out in the text. */
export interface EditorMark {
  readonly severity: 'error' | 'warning' | 'info';
  readonly text: string;
  /** Offsets in the text; exclusive end. */
  readonly start: number;
  readonly end: number;
}

export interface MountedEditor {
  setValue(value: string): void;
  setSchema(schema: object | undefined): void;
  setMarks(marks: readonly EditorMark[]): void;
  /** Selects a part of the text and scrolls to it. */
  select(start: number, end: number): void;
  focus(): void;
  dispose(): void;
}

const schemas = new Map<string, unknown>();
let lastModel = 0;

/** The scheme of models whose suggestions come from an assistant. */
const ASSISTED = 'assisted';
const assistants = new Map<string, EditorAssistant>();
followAssistants(ASSISTED, (uri) => assistants.get(uri));

const markerSeverities = {
  error: MarkerSeverity.Error,
  warning: MarkerSeverity.Warning,
  info: MarkerSeverity.Info,
} as const;

const numbered: editor.IEditorOptions = {
  lineNumbers: 'on',
  lineNumbersMinChars: 3,
  lineDecorationsWidth: 8,
};

const assisted: editor.IEditorOptions = {
  quickSuggestions: { other: true, strings: true, comments: false },
  suggest: { showWords: false, preview: false },
};

/** What is typed stays as it is. */
const unchanged: editor.IStandaloneEditorConstructionOptions = {
  autoClosingBrackets: 'never',
  autoClosingQuotes: 'never',
  autoSurround: 'never',
  autoIndent: 'none',
  quickSuggestions: false,
  wordBasedSuggestions: 'off',
  unusualLineTerminators: 'off',
  renderControlCharacters: true,
  renderWhitespace: 'boundary',
};

/** Mounts an editor in an element. */
export function mountEditor(element: HTMLElement, options: EditorOptions): MountedEditor {
  const { assistant, isPlain = false, hasLineNumbers = false, placeholder } = options;
  const scheme = assistant === undefined ? 'inmemory' : ASSISTED;
  const uri = Uri.parse(`${scheme}://arguments/${++lastModel}.json`);
  const model = editor.createModel(options.value, isPlain ? 'plaintext' : 'json', uri);
  model.setEOL(editor.EndOfLineSequence.LF);
  if (assistant !== undefined) assistants.set(uri.toString(), assistant);
  const mounted = editor.create(element, {
    ...look(),
    ...(assistant !== undefined && assisted),
    ...(hasLineNumbers && numbered),
    ...(isPlain && unchanged),
    ...(placeholder !== undefined && { placeholder }),
    model,
    ariaLabel: options.label,
  });
  nameHiddenCharacters(mounted);
  mounted.onDidChangeModelContent(() => options.onChange(model.getValue()));
  mounted.onDidContentSizeChange(({ contentHeight }) => options.onHeight(contentHeight));
  mounted.addCommand(KeyMod.CtrlCmd | KeyCode.Enter, options.onSubmit);
  element.addEventListener('keydown', leaveToTheApp, { capture: true });
  options.onHeight(mounted.getContentHeight());
  return {
    setValue(value) {
      if (value === model.getValue()) return;
      const edits = textEdits(model.getValue(), value.replaceAll(/\r\n?/g, '\n'));
      // By the editor, so that the caret stays where it is, and is there again after an undo.
      mounted.pushUndoStop();
      mounted.executeEdits(
        'value',
        edits.map(({ start, end, text }) => ({
          range: Range.fromPositions(model.getPositionAt(start), model.getPositionAt(end)),
          text,
        })),
      );
      mounted.pushUndoStop();
    },
    setSchema(schema) {
      if (schema === undefined) schemas.delete(uri.toString());
      else schemas.set(uri.toString(), toEditorSchema(schema));
      applySchemas();
    },
    setMarks(marks) {
      editor.setModelMarkers(
        model,
        'sightglass',
        marks.map(({ severity, text, start, end }) => {
          const from = model.getPositionAt(start);
          const to = model.getPositionAt(Math.max(end, start + 1));
          return {
            severity: markerSeverities[severity],
            message: text,
            startLineNumber: from.lineNumber,
            startColumn: from.column,
            endLineNumber: to.lineNumber,
            endColumn: to.column,
          };
        }),
      );
    },
    select(start, end) {
      const from = model.getPositionAt(start);
      const to = model.getPositionAt(end);
      mounted.setSelection({
        startLineNumber: from.lineNumber,
        startColumn: from.column,
        endLineNumber: to.lineNumber,
        endColumn: to.column,
      });
      mounted.revealPositionInCenterIfOutsideViewport(from);
      mounted.focus();
    },
    focus: () => mounted.focus(),
    dispose() {
      assistants.delete(uri.toString());
      schemas.delete(uri.toString());
      applySchemas();
      element.removeEventListener('keydown', leaveToTheApp, { capture: true });
      mounted.dispose();
      model.dispose();
    },
  };
}

const ofTheApp = ['Mod+K', 'Mod+Shift+Enter', 'Mod+Shift+F'];

/** Passes on shortcuts of the app that the editor would take as the start of a chord. */
function leaveToTheApp(press: KeyboardEvent): void {
  if (!ofTheApp.some((shortcut) => matchesShortcut(press, shortcut))) return;
  press.preventDefault();
  press.stopImmediatePropagation();
  window.dispatchEvent(new KeyboardEvent('keydown', press));
}

function applySchemas(): void {
  jsonDefaults.setDiagnosticsOptions({
    validate: true,
    allowComments: false,
    trailingCommas: 'error',
    schemaValidation: 'warning',
    // References to other documents are never fetched.
    enableSchemaRequest: false,
    schemaRequest: 'ignore',
    schemas: [...schemas].map(([uri, schema]) => ({ uri: `${uri}.schema`, fileMatch: [uri], schema })),
  });
}

/** What all editors have in common. */
export function look(): editor.IStandaloneEditorConstructionOptions {
  const style = getComputedStyle(document.documentElement);
  return {
    theme: THEME,
    automaticLayout: true,
    fontFamily: style.getPropertyValue('--mono'),
    fontSize: 12,
    lineHeight: 18,
    tabSize: 2,
    minimap: { enabled: false },
    // They are named instead, by the set of the app.
    unicodeHighlight: { invisibleCharacters: false },
    lineNumbers: 'off',
    glyphMargin: false,
    folding: true,
    lineDecorationsWidth: 4,
    renderLineHighlight: 'none',
    overviewRulerLanes: 0,
    scrollBeyondLastLine: false,
    scrollbar: { alwaysConsumeMouseWheel: false, verticalScrollbarSize: 8, horizontalScrollbarSize: 8 },
    padding: { top: 6, bottom: 6 },
    wordWrap: 'on',
    // Links would open text of a server. Tab must leave the editor, for keyboard users.
    links: false,
    tabFocusMode: true,
    contextmenu: false,
    codeLens: false,
    colorDecorators: false,
    dropIntoEditor: { enabled: false },
    inlayHints: { enabled: 'off' },
    inlineSuggest: { enabled: false },
    pasteAs: { enabled: false },
    stickyScroll: { enabled: false },
    fixedOverflowWidgets: true,
    accessibilitySupport: 'auto',
  };
}

/** Applies the page's colours to every editor, now and when the colour scheme changes. */
function followTheme(): void {
  const define = () => editor.defineTheme(THEME, themeOf());
  define();
  onColorScheme(define);
}

function themeOf(): editor.IStandaloneThemeData {
  const rule = (name: string, colour: `--${string}`) => ({
    token: name,
    foreground: tokenColour(colour).slice(1),
  });
  return {
    base: currentScheme() === 'dark' ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      rule('', '--text'),
      rule('string.key.json', '--key'),
      rule('string.value.json', '--str'),
      rule('number.json', '--num'),
      rule('keyword.json', '--num'),
      rule('delimiter', '--mute'),
    ],
    colors: {
      'editor.background': tokenColour('--raise'),
      'editor.foreground': tokenColour('--text'),
      'editor.placeholder.foreground': tokenColour('--mute'),
      'editorCursor.foreground': tokenColour('--accent'),
      'editor.selectionBackground': tokenColour('--sel'),
      'editorWidget.background': tokenColour('--panel'),
      'editorWidget.border': tokenColour('--line'),
      'editorSuggestWidget.background': tokenColour('--panel'),
      'editorSuggestWidget.border': tokenColour('--line'),
      'editorSuggestWidget.selectedBackground': tokenColour('--hover'),
      'editorSuggestWidget.foreground': tokenColour('--text'),
      'editorSuggestWidget.selectedForeground': tokenColour('--text'),
      'editorSuggestWidget.selectedIconForeground': tokenColour('--mute'),
      'editorSuggestWidget.highlightForeground': tokenColour('--accent'),
      'editorSuggestWidget.focusHighlightForeground': tokenColour('--accent'),
      'editorHoverWidget.foreground': tokenColour('--text'),
      'editorLineNumber.foreground': tokenColour('--faint'),
      'editorLineNumber.activeForeground': tokenColour('--text'),
      'editorHoverWidget.background': tokenColour('--panel'),
      'editorHoverWidget.border': tokenColour('--line'),
      'input.background': tokenColour('--raise'),
      'input.foreground': tokenColour('--text'),
      focusBorder: tokenColour('--accent'),
      'editorWarning.foreground': tokenColour('--warn'),
      'editorError.foreground': tokenColour('--err'),
      'diffEditor.insertedLineBackground': `${tokenColour('--in')}16`,
      'diffEditor.insertedTextBackground': `${tokenColour('--in')}24`,
      'diffEditor.removedLineBackground': `${tokenColour('--err')}16`,
      'diffEditor.removedTextBackground': `${tokenColour('--err')}24`,
      'diffEditor.diagonalFill': tokenColour('--line'),
      'diffEditor.border': tokenColour('--line'),
      'editorBracketMatch.border': tokenColour('--faint'),
      'editorBracketMatch.background': '#00000000',
      'editorBracketHighlight.foreground1': tokenColour('--mute'),
      'editorBracketHighlight.foreground2': tokenColour('--mute'),
      'editorBracketHighlight.foreground3': tokenColour('--mute'),
    },
  };
}
