import { editor } from 'monaco-editor/editor/editor.api.js';
import { currentScheme, onColorScheme, tokenColour } from '../theme.ts';

export const THEME = 'sightglass';

/** Draws every editor in the tokens of the page, and again when the page changes between dark and light. */
export function followTheme(): void {
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
