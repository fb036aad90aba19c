import { resolve } from 'node:path';
import { z } from 'zod';
import { kindOf, NO_SUCH_FILE } from '#files/file-kinds.ts';
import { type NamedKind, readNamedTextSync } from '#files/named-file.ts';
import { FaultError, messageOf } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { UsageError } from './exit.ts';

/** Characters of a given text that a message quotes: enough to recognize it, and the message stays readable. */
const MAX_QUOTE_LENGTH = 80;

/** What the user typed, in quotation marks for a message; only the beginning of a long text. */
export function quoted(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_QUOTE_LENGTH) return `"${text}"`;
  return `"${characters.slice(0, MAX_QUOTE_LENGTH).join('')}…" (${characters.length} characters)`;
}

/** Shortens everything long that a message of the argument parser quotes. */
export const withShortQuotes = (message: string): string =>
  message.replace(/'([^']+)'/g, (whole, text: string) =>
    text.length > MAX_QUOTE_LENGTH
      ? `'${text.slice(0, MAX_QUOTE_LENGTH)}…' (${text.length} characters)`
      : whole,
  );

/** An option as the user writes it: `--answer-delay` for `answerDelay`. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * The full path of a folder that must exist.
 *
 * @param option what it was given for, to name it in the message
 * @throws UsageError
 */
export function existingFolder(option: string, folder: string): string {
  const path = resolve(folder);
  let found: 'file' | 'folder';
  try {
    found = kindOf(path, 'a folder');
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    const { code, what } = error.fault;
    throw new UsageError(`${option}: ${code === NO_SUCH_FILE ? `there is no folder ${quoted(path)}` : what}`);
  }
  if (found === 'folder') return path;
  throw new UsageError(`${option}: this is a file, not a folder: ${quoted(path)}`);
}

/** The schema of an option that is a whole number. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .transform((text) => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN))
    .refine((value) => value >= least && value <= most, `wants a whole number from ${least} to ${most}`);

const units: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const MAX_DURATION = 24 * 3_600_000;

/**
 * Milliseconds of a time such as `500ms`, `30s`, `2m`, `1.5h`; a bare number counts seconds.
 *
 * @param option what it was given for, to name it in the complaint
 * @throws UsageError
 */
export function readDuration(option: string, text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)([a-z]+)?$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(number) * (units.get(unit) ?? Number.NaN));
  if (milliseconds >= 1 && milliseconds <= MAX_DURATION) return milliseconds;
  throw new UsageError(`${option} wants a time such as 500ms, 30s or 2m, at most 24h; it is ${quoted(text)}`);
}

/**
 * A JSON object as typed, or the content of a file if `@FILE` was typed.
 *
 * @param option what it was given for, to name it in the complaint
 * @throws UsageError if it is not a JSON object
 */
export function readJsonObject(option: string, given: string): string {
  const json = given.startsWith('@') ? readOptionFile(option, given.slice(1), 'JSON object') : given;
  try {
    if (isObject(JSON.parse(json))) return json;
  } catch (error) {
    throw new UsageError(
      `${option} wants a JSON object or @FILE: ${messageOf(error)}; it is ${quoted(given)}`,
    );
  }
  throw new UsageError(
    `${option} wants a JSON object, such as '{"key": "value"}', or @FILE; it is ${quoted(given)}`,
  );
}

/** The text of a file that an option names. @throws UsageError that names the option */
export function readOptionFile(option: string, path: string, kind: NamedKind): string {
  try {
    return readNamedTextSync(path, kind);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    const { what, why, next } = error.fault;
    throw new UsageError([`${option}: ${what}`, why, next].filter(Boolean).join(' '));
  }
}
