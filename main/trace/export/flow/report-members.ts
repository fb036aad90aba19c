import { isObject } from '#shared/protocol/jsonrpc.ts';
import { inline } from '#trace/export/markdown.ts';

/** Limits of what is listed of one member. */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;
const MAX_VALUE = 2000;

/** A member of plain data as lines of a list; none for what is empty. Its texts are untrusted. */
export function memberLines(name: string, member: unknown, depth = 0): string[] {
  const indent = '  '.repeat(depth);
  const title = `${indent}- ${inTitle(name)}`;
  const text = textOf(member);
  if (text !== null) return text === '' ? [] : [`${title}: ${text}`];
  const lines = depth < MAX_DEPTH ? entriesOf(member).flatMap((one) => entryLines(one, depth + 1)) : [];
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

/** A name of ours as the beginning of a line: `takenBack` as `Taken back`. */
function inTitle(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return /^[a-z][a-z ]*$/.test(words) ? words.replace(/^./, (letter) => letter.toUpperCase()) : inline(name);
}

type Entry = readonly [name: string | null, member: unknown];

function entriesOf(member: unknown): readonly Entry[] {
  if (Array.isArray(member))
    return member.slice(0, MAX_ENTRIES).map((one): Entry => {
      // As parameters, findings and comparisons are.
      if (isObject(one) && typeof one.name === 'string') {
        const { name, ...others } = one;
        return [name, withoutEmpty(others)];
      }
      return [null, one];
    });
  return isObject(member) ? Object.entries(member).slice(0, MAX_ENTRIES) : [];
}

function entryLines([name, member]: Entry, depth: number): string[] {
  if (name !== null) return namedLines(name, member, depth);
  const text = textOf(member);
  if (text !== null) return text === '' ? [] : [`${'  '.repeat(depth)}- ${text}`];
  // The members of an object in a list begin at its own line.
  const lines = entriesOf(member).flatMap((one) => entryLines(one, depth + 1));
  return lines.map((line, place) => (place === 0 ? line.replace('  - ', '- ') : line));
}

/** A parameter on one line: its value, or that it is a secret. */
function namedLines(name: string, member: unknown, depth: number): string[] {
  if (!isObject(member) || !('value' in member)) return memberLines(name, member, depth);
  const { value, fingerprint, ...others } = member;
  const shown =
    value === null && typeof fingerprint === 'string'
      ? `secret, fingerprint ${inline(fingerprint)}`
      : (textOf(value) ?? inline(JSON.stringify(value), MAX_VALUE));
  const more = Object.entries(others).flatMap((one) => entryLines(one, depth + 1));
  return [`${'  '.repeat(depth)}- ${inline(name)}: ${shown}`, ...more];
}

const withoutEmpty = (member: object): object =>
  Object.fromEntries(Object.entries(member).filter(([name, one]) => name === 'value' || textOf(one) !== ''));

/** A value of one line; empty for what says nothing, null for a list or an object. */
function textOf(member: unknown): string | null {
  if (member === null || member === undefined || member === '' || member === false) return '';
  if (typeof member === 'string') return inline(member, MAX_VALUE);
  if (member === true) return 'yes';
  if (typeof member === 'number') return String(member);
  return null;
}
