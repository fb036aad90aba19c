import type { InboxEntry } from '#shared/contract/inbox.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { questionNameOf } from './answer-rule.ts';
import { visibleJson, visibleText } from './visible-text.ts';

/** What a question is about, on one line. All of it is the server's. */
export function questionSummary({ method, params }: InboxEntry): string {
  const question: unknown = JSON.parse(params);
  if (!isObject(question)) return '';
  switch (method) {
    case 'elicitation/create':
      return short([question.message, question.url]);
    case 'sampling/createMessage':
      return short([lastTextOf(question.messages)]);
    case 'roots/list':
      return '';
  }
}

/** The method of a question, and what it is about. */
export function questionLine(entry: InboxEntry): string {
  const summary = questionSummary(entry);
  return summary === '' ? entry.method : `${entry.method}: ${summary}`;
}

/** The whole question, and how to answer it at the terminal. */
export function questionPrompt(entry: InboxEntry): string {
  const { params, suggestion } = entry;
  const whole = visibleJson(JSON.stringify(JSON.parse(params), null, 2)).replaceAll('\n', '\n  ');
  return [
    `The server asks ${questionLine(entry)}`,
    `  ${whole}`,
    `Answer with the result as JSON, such as ${exampleOf(entry)}`,
    `or with d to decline, c to cancel${suggestion === null ? '' : `, nothing for ${visibleText(suggestion)}`}.`,
    '> ',
  ].join('\n');
}

/** How the question could be answered by an option. */
export const answerOption = (entry: InboxEntry): string =>
  `--answer '${questionNameOf(entry.method)}=${entry.suggestion === null ? exampleOf(entry) : 'defaults'}'`;

/** A result that fits the kind of the question. */
function exampleOf({ method, params }: InboxEntry): string {
  switch (method) {
    case 'elicitation/create':
      return isForm(params) ? '{"action":"accept","content":{…}}' : '{"action":"accept"}';
    case 'sampling/createMessage':
      return '{"role":"assistant","content":{"type":"text","text":"…"},"model":"none"}';
    case 'roots/list':
      return '{"roots":[]}';
  }
}

function isForm(params: string): boolean {
  const question: unknown = JSON.parse(params);
  return !isObject(question) || question.mode !== 'url';
}

function lastTextOf(messages: unknown): unknown {
  if (!Array.isArray(messages)) return undefined;
  const last: unknown = messages.at(-1);
  const content = isObject(last) ? last.content : undefined;
  const block: unknown = Array.isArray(content) ? content.at(-1) : content;
  return isObject(block) ? block.text : undefined;
}

const LONGEST = 200;

function short(parts: readonly unknown[]): string {
  const text = visibleText(parts.filter((part) => typeof part === 'string').join(' '));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
