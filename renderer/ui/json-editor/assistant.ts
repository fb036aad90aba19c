import { type editor, languages, Range } from 'monaco-editor/editor/editor.api.js';
import { visibleText } from '../visible.ts';

/** One suggestion at the caret. Its texts may come from a server: they are shown and inserted as text. */
export interface EditorSuggestion {
  readonly kind: 'member' | 'value' | 'name';
  readonly label: string;
  /** A few words at the right, such as `string, required`. */
  readonly detail?: string | undefined;
  readonly description?: string | undefined;
  /** The text to insert in place of `start` to `end`. */
  readonly text: string;
  /** Offset in `text` of the caret afterwards; at its end by default. */
  readonly caret?: number | undefined;
  /** Whether to suggest again, at the new place. */
  readonly goesOn?: boolean | undefined;
}

export interface EditorSuggestions {
  /** What the suggestions replace: offsets in the text, exclusive end. */
  readonly start: number;
  readonly end: number;
  readonly suggestions: readonly EditorSuggestion[];
}

/** What is known about a document while it is typed. */
export interface EditorAssistant {
  suggest(text: string, offset: number): EditorSuggestions | null | Promise<EditorSuggestions | null>;
  /** Describes the token at an offset; null if nothing is known about it. */
  describe(text: string, offset: number): EditorDescription | null;
}

export interface EditorDescription {
  readonly start: number;
  readonly end: number;
  /** Paragraphs, shown as text. */
  readonly lines: readonly string[];
}

const kinds = {
  member: languages.CompletionItemKind.Property,
  value: languages.CompletionItemKind.Value,
  name: languages.CompletionItemKind.Reference,
} as const;

/**
 * Takes suggestions and hovers of the models of a scheme from their assistants, and from nowhere else.
 *
 * @param assistantOf by the URI of a model
 */
export function followAssistants(
  scheme: string,
  assistantOf: (uri: string) => EditorAssistant | undefined,
): void {
  const selector = { language: 'json', scheme, exclusive: true };
  languages.registerCompletionItemProvider(selector, {
    triggerCharacters: ['"', ':', ' ', '/'],
    async provideCompletionItems(model, position) {
      const offset = model.getOffsetAt(position);
      const found = await assistantOf(model.uri.toString())?.suggest(model.getValue(), offset);
      if (!found) return { suggestions: [] };
      const range = rangeIn(model, found.start, found.end);
      const typed = model.getValue().slice(found.start, found.end);
      return {
        suggestions: found.suggestions.map((one, index) => itemOf(one, index, range, typed)),
      };
    },
  });
  languages.registerHoverProvider(selector, {
    provideHover(model, position) {
      const said = assistantOf(model.uri.toString())?.describe(model.getValue(), model.getOffsetAt(position));
      if (!said) return null;
      return {
        range: rangeIn(model, said.start, said.end),
        contents: said.lines.map((line) => ({ value: asText(line) })),
      };
    },
  });
}

function itemOf(
  { kind, label, detail, description, text, caret, goesOn }: EditorSuggestion,
  index: number,
  range: Range,
  typed: string,
): languages.CompletionItem {
  const at = caret ?? text.length;
  return {
    label: visibleText(label),
    kind: kinds[kind],
    insertText: `${snippetText(text.slice(0, at))}$0${snippetText(text.slice(at))}`,
    insertTextRules: languages.CompletionItemInsertTextRule.InsertAsSnippet,
    range,
    // The editor compares it with the text at that place, which may begin with a quote.
    filterText: typed.startsWith('"') ? JSON.stringify(label) : label,
    sortText: String(index).padStart(5, '0'),
    ...(detail !== undefined && { detail: visibleText(detail) }),
    ...(description !== undefined && { documentation: { value: asText(description) } }),
    ...(goesOn === true && { command: { id: 'editor.action.triggerSuggest', title: 'Suggest' } }),
  };
}

function rangeIn(model: editor.ITextModel, start: number, end: number): Range {
  const from = model.getPositionAt(start);
  const to = model.getPositionAt(end);
  return new Range(from.lineNumber, from.column, to.lineNumber, to.column);
}

/** Without the characters that mean something in a snippet. */
const snippetText = (text: string): string => text.replaceAll(/[\\$}]/g, String.raw`\$&`);

/** Markdown that shows the text as it is: no links, images or tags. */
const asText = (text: string): string =>
  visibleText(text).replaceAll(/[\\`*_{}[\]()#+\-.!<>|&~]/g, String.raw`\$&`);
