import { editor, KeyCode, KeyMod, Uri } from 'monaco-editor/editor/editor.api.js';
import 'monaco-editor/features/register.all.js';
import { jsonDefaults } from 'monaco-editor/languages/features/json/register.js';
import { matchesShortcut } from '../shortcut.ts';
import { toEditorSchema } from './editor-schema.ts';

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
}

export interface MountedEditor {
  setValue(value: string): void;
  setSchema(schema: object | undefined): void;
  focus(): void;
  dispose(): void;
}

const schemas = new Map<string, unknown>();
let lastModel = 0;

/** Mounts an editor in an element. */
export function mountEditor(element: HTMLElement, options: EditorOptions): MountedEditor {
  const uri = Uri.parse(`inmemory://arguments/${++lastModel}.json`);
  const model = editor.createModel(options.value, 'json', uri);
  model.setEOL(editor.EndOfLineSequence.LF);
  const mounted = editor.create(element, { ...look(), model, ariaLabel: options.label });
  mounted.onDidChangeModelContent(() => options.onChange(model.getValue()));
  mounted.onDidContentSizeChange(({ contentHeight }) => options.onHeight(contentHeight));
  mounted.addCommand(KeyMod.CtrlCmd | KeyCode.Enter, options.onSubmit);
  element.addEventListener('keydown', leaveToTheApp, { capture: true });
  options.onHeight(mounted.getContentHeight());
  return {
    setValue(value) {
      if (value === model.getValue()) return;
      model.pushEditOperations([], [{ range: model.getFullModelRange(), text: value }], () => null);
    },
    setSchema(schema) {
      if (schema === undefined) schemas.delete(uri.toString());
      else schemas.set(uri.toString(), toEditorSchema(schema));
      applySchemas();
    },
    focus: () => mounted.focus(),
    dispose() {
      schemas.delete(uri.toString());
      applySchemas();
      element.removeEventListener('keydown', leaveToTheApp, { capture: true });
      mounted.dispose();
      model.dispose();
    },
  };
}

/** Passes on shortcuts of the app that the editor would take as the start of a chord. */
function leaveToTheApp(press: KeyboardEvent): void {
  if (!matchesShortcut(press, 'Mod+K')) return;
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

function look(): editor.IStandaloneEditorConstructionOptions {
  const style = getComputedStyle(document.documentElement);
  return {
    theme: THEME,
    automaticLayout: true,
    fontFamily: style.getPropertyValue('--mono'),
    fontSize: 12,
    lineHeight: 18,
    tabSize: 2,
    minimap: { enabled: false },
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
      'editorCursor.foreground': tokenColour('--accent'),
      'editor.selectionBackground': tokenColour('--sel'),
      'editorWidget.background': tokenColour('--panel'),
      'editorWidget.border': tokenColour('--line'),
      'editorSuggestWidget.background': tokenColour('--panel'),
      'editorSuggestWidget.border': tokenColour('--line'),
      'editorSuggestWidget.selectedBackground': tokenColour('--hover'),
      'editorHoverWidget.background': tokenColour('--panel'),
      'editorHoverWidget.border': tokenColour('--line'),
      'input.background': tokenColour('--raise'),
      'input.foreground': tokenColour('--text'),
      focusBorder: tokenColour('--accent'),
      'editorWarning.foreground': tokenColour('--warn'),
      'editorError.foreground': tokenColour('--err'),
      'editorBracketMatch.border': tokenColour('--faint'),
      'editorBracketMatch.background': '#00000000',
      'editorBracketHighlight.foreground1': tokenColour('--mute'),
      'editorBracketHighlight.foreground2': tokenColour('--mute'),
      'editorBracketHighlight.foreground3': tokenColour('--mute'),
    },
  };
}

type ColorScheme = 'dark' | 'light';

function systemIsLight(): MediaQueryList {
  return window.matchMedia('(prefers-color-scheme: light)');
}

/** The colour scheme: `data-theme` on <html> if set, else the system's preference. */
function currentScheme(): ColorScheme {
  const forced = document.documentElement.dataset.theme;
  if (forced === 'dark' || forced === 'light') return forced;
  return systemIsLight().matches ? 'light' : 'dark';
}

/** Calls the listener when the scheme changes, until the returned function is called. */
function onColorScheme(onChange: () => void): () => void {
  const system = systemIsLight();
  const observer = new MutationObserver(onChange);
  system.addEventListener('change', onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', onChange);
    observer.disconnect();
  };
}

/** The value of a token such as `--panel` as `#rrggbb`, in the current scheme. */
function tokenColour(token: `--${string}`): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const channels = getComputedStyle(probe).color.match(/\d+/g) ?? [];
  probe.remove();
  const hex = (channel: string) => Number(channel).toString(16).padStart(2, '0');
  return `#${channels.slice(0, 3).map(hex).join('')}`;
}
