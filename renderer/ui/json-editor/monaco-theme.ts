import { editor } from 'monaco-editor/editor/editor.api.js';

export const THEME = 'sightglass';

/** Draws the editor in the tokens of the page, and again whenever those change. */
export function followTheme(): void {
  const define = () => {
    const token = (name: string) => hex(getComputedStyle(document.documentElement).getPropertyValue(name));
    editor.defineTheme(THEME, themeOf(token));
  };
  define();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', define);
  new MutationObserver(define).observe(document.documentElement, {
    attributes: true,
    attributeFilter: ['data-theme', 'class'],
  });
}

function themeOf(token: (name: string) => string): editor.IStandaloneThemeData {
  const background = token('--raise');
  const rule = (name: string, colour: string) => ({ token: name, foreground: token(colour).slice(1) });
  return {
    base: isDark(background) ? 'vs-dark' : 'vs',
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
      'editor.background': background,
      'editor.foreground': token('--text'),
      'editorCursor.foreground': token('--accent'),
      'editor.selectionBackground': token('--sel'),
      'editorWidget.background': token('--panel'),
      'editorWidget.border': token('--line'),
      'editorSuggestWidget.background': token('--panel'),
      'editorSuggestWidget.border': token('--line'),
      'editorSuggestWidget.selectedBackground': token('--hover'),
      'editorHoverWidget.background': token('--panel'),
      'editorHoverWidget.border': token('--line'),
      'input.background': token('--raise'),
      'input.foreground': token('--text'),
      focusBorder: token('--accent'),
      'editorWarning.foreground': token('--warn'),
      'editorError.foreground': token('--err'),
      'editorBracketMatch.border': token('--faint'),
      'editorBracketMatch.background': '#00000000',
      'editorBracketHighlight.foreground1': token('--mute'),
      'editorBracketHighlight.foreground2': token('--mute'),
      'editorBracketHighlight.foreground3': token('--mute'),
    },
  };
}

/** A colour as Monaco takes it: `#rrggbb`, whatever way CSS wrote it. */
function hex(colour: string): string {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (context === null) return '#808080';
  context.fillStyle = colour.trim();
  return context.fillStyle;
}

const isDark = (colour: string): boolean => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 < 128;
};
