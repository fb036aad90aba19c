import { parseSync } from 'vite';

/** A word that only this project used, and what the field calls it (docs/contributing.md, section "Terms"). */
interface PrivateWord {
  /** One or more words of a name, in lower case: `ways out` is found in `waysOut`, `WaysOut` and `ways-out.ts`. */
  readonly word: string;
  readonly use: string;
}

/** Words that no file, folder, type, function, variable or member may be named by. */
export const privateWords: readonly PrivateWord[] = [
  { word: 'wish', use: 'request, params, options' },
  { word: 'wishes', use: 'request, params, options' },
  { word: 'conduct', use: 'behavior' },
  { word: 'patience', use: 'timeout' },
  { word: 'stillness', use: 'event queue' },
  { word: 'passage', use: 'HTTP attempt' },
  { word: 'leg', use: 'HTTP attempt' },
  { word: 'dialogue', use: 'task protocol' },
  { word: 'ways out', use: 'remedies' },
  { word: 'way out', use: 'remedy' },
  { word: 'deed', use: 'action' },
  { word: 'deeds', use: 'actions' },
  { word: 'travel', use: 'navigation' },
  { word: 'destination', use: 'target' },
  { word: 'happening', use: 'event' },
  { word: 'holdings', use: 'matches' },
  { word: 'survey', use: 'scan' },
  { word: 'spell', use: 'availability' },
  { word: 'spells', use: 'availability' },
  { word: 'obstacle', use: 'reason, fault' },
  { word: 'emptiness', use: 'empty state' },
  { word: 'in part', use: 'truncated, partial' },
  { word: 'pace', use: 'throttle' },
  { word: 'told', use: 'view, reported, notified' },
  { word: 'hear', use: 'receive, handle' },
  { word: 'heard', use: 'received' },
  { word: 'judge', use: 'validate, check' },
  { word: 'judged', use: 'validated, checked' },
  { word: 'verdict', use: 'result' },
  { word: 'announced', use: 'declared, capabilities' },
  { word: 'refusal', use: 'rejection, fault, error' },
  { word: 'refusals', use: 'rejections, faults, errors' },
  { word: 'by hand', use: 'manual' },
];

/** Phrases that no comment and no string may contain. */
export const clumsyPhrases: readonly { readonly phrase: RegExp; readonly use: string }[] = [
  { phrase: /\banew\b/i, use: 'again' },
  { phrase: /\bwhoever\b/i, use: 'the caller, anyone who' },
  { phrase: /\bof itself\b/i, use: 'about itself' },
  { phrase: /\bin sight\b/i, use: 'visible' },
  { phrase: /\bcomes? to nothing\b/i, use: 'fails' },
  { phrase: /\bof whatever\b/i, use: 'of any' },
  { phrase: /\bis no (?:email|fault|more than)\b/i, use: 'is not' },
  { phrase: /\bgood client\b/i, use: 'no rule broken' },
  { phrase: /\b(?:he|his|him|himself)\b/i, use: 'the user, they' },
];

/** Where a private word or a clumsy phrase is used. */
export interface Offence {
  readonly file: string;
  /** From 1; 0 for the path itself. */
  readonly line: number;
  readonly found: string;
  readonly use: string;
}

/** Names that are not ours: of HTML, CSS and the platform. */
const foreignNames: ReadonlySet<string> = new Set(['spellCheck', 'spellcheck']);

/** Options of commands that have the name of a flag, such as `--pace`. */
const flagNames: ReadonlySet<string> = new Set(['pace']);
const isFlag = (file: string, name: string): boolean =>
  file.startsWith('main/hosts/cli/commands/') && flagNames.has(name);

/** The words of a name, in lower case: `waysOut`, `WAYS_OUT` and `ways-out` are `ways out`. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z]+/g, ' ')
    .trim()
    .toLowerCase();

function offencesOfName(file: string, line: number, name: string): Offence[] {
  if (foreignNames.has(name) || isFlag(file, name)) return [];
  const words = ` ${wordsOf(name)} `;
  return privateWords
    .filter(({ word }) => words.includes(` ${word} `))
    .map(({ word, use }) => ({ file, line, found: `${name} (${word})`, use }));
}

/**
 * Every private word in the names of a TypeScript file, its path included, and every clumsy phrase in its comments and
 * strings.
 *
 * @param file path from the root of the project
 */
export function offencesIn(file: string, code: string): Offence[] {
  const { program, comments } = parseSync(file, code);
  const lineAt = (offset: number) => code.slice(0, offset).split('\n').length;
  const offences = offencesOfName(file, 0, file);
  const texts = comments.map(({ value, start }) => ({ value, start }));
  visit(program, ({ type, start, name, value, raw }) => {
    if (typeof name === 'string') offences.push(...offencesOfName(file, lineAt(start), name));
    const text = type === 'TemplateElement' ? code.slice(start) : value;
    if (type === 'TemplateElement') texts.push({ value: templateText(value), start });
    else if (typeof text === 'string' && (type === 'JSXText' || typeof raw === 'string')) {
      texts.push({ value: text, start });
    }
  });
  for (const { value, start } of texts) {
    for (const { phrase, use } of clumsyPhrases) {
      const found = phrase.exec(value);
      if (found !== null) {
        offences.push({ file, line: lineAt(start + found.index), found: found[0], use });
      }
    }
  }
  return offences;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly raw?: unknown;
}

const templateText = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'raw' in value ? String(value.raw) : '';

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

function visit(node: unknown, look: (node: SyntaxNode) => void): void {
  if (Array.isArray(node)) {
    for (const one of node) visit(one, look);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  if (isNode(node)) look(node);
  for (const child of Object.values(node)) {
    if (typeof child === 'object') visit(child, look);
  }
}
