import { headerEntrySchema } from '#shared/contract/servers.ts';
import { truncate } from '#shared/format.ts';
import { isJson } from '#shared/json/tokens.ts';
import { UsageError } from './exit.ts';
import { quoted, readOptionFile } from './option-values.ts';

interface GivenHeader {
  readonly line: [name: string, value: string];
  /** Whether it is secret by the way in which it was given. */
  readonly isMarked: boolean;
}

/** The headers of `--header` and `--secret-header`, and the names of those that are secret by how they were given. @throws UsageError */
export function readHeaders({
  header,
  secretHeader,
}: {
  readonly header: readonly string[];
  readonly secretHeader: readonly string[];
}) {
  const given = [
    ...header.map((text) => readHeader('--header', text)),
    ...secretHeader.map((text) => ({ ...readHeader('--secret-header', text), isMarked: true })),
  ];
  const marked = given.flatMap(({ line, isMarked }) => (isMarked ? [line[0]] : []));
  return { headers: given.map(({ line }) => line), ...(marked.length > 0 && { secretNames: marked }) };
}

/** Messages about a bad header never contain its value, which may be secret. */
function readHeader(option: string, text: string): GivenHeader {
  const fromElsewhere = readNamedHeader(option, text);
  const [name, value] = fromElsewhere ?? splitHeader(option, text);
  const parsed = headerEntrySchema.shape.name.safeParse(name);
  if (!parsed.success) throw new UsageError(`${option}: ${quoted(name)} is not a header name`);
  if (/[\r\n\0]/.test(value))
    throw new UsageError(`${option}: the value of ${quoted(name)} is more than one line`);
  return { line: [name, value], isMarked: fromElsewhere !== null };
}

function splitHeader(option: string, text: string): [name: string, value: string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new UsageError(`${option} wants "Name: value"; there is no name before a ":"`);
  return [text.slice(0, colon), text.slice(colon + 1).trim()];
}

/** The text before `@FILE` or `$VARIABLE` is a scheme, such as `Bearer`. */
const named = /^(?:([A-Za-z][A-Za-z0-9-]*) +)?([@$])(.+)$/s;

/** `NAME=@FILE` or `NAME=$VARIABLE`; null if neither. Messages never contain the value. @throws UsageError */
function readNamedHeader(option: string, text: string): [name: string, value: string] | null {
  const [, name, source] = /^([^:=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || source === undefined) return null;
  const value = valueOf(option, source);
  if (value !== null) return [name, value];
  throw new UsageError(
    `${option} ${truncate(name, 40)}= wants @FILE or $VARIABLE behind it; a value goes behind a colon, as in "Name: value"`,
  );
}

/** `NAME`, `NAME=@FILE` or `NAME=$VARIABLE`. @throws UsageError */
export function readSecretVariable(option: string, text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  if (name === '')
    throw new UsageError(`${option} wants the name of ${option === '--input' ? 'an input' : 'a variable'}`);
  if (equals === -1) return [name, variable(option, name)];
  const value = valueOf(option, text.slice(equals + 1));
  if (value !== null) return [name, value];
  throw new UsageError(
    `${option} ${truncate(name, 40)}= wants @FILE or $VARIABLE behind it: a value written there would be seen by every user`,
  );
}

/**
 * Secrets as JSON texts by name, from `NAME=@FILE`, `NAME=$VARIABLE`, `NAME=VALUE` and `NAME:=JSON`. Messages never contain a
 * value. @throws UsageError
 */
export function readSecretValues(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, colon, value = ''] = /^([^=]+?)(:)?=(.*)$/s.exec(text) ?? [];
      if (name === undefined) throw new UsageError('--var wants NAME=VALUE');
      if (colon === undefined) return [name, JSON.stringify(valueOf('--var', value) ?? value)];
      if (isJson(value)) return [name, value];
      throw new UsageError(`--var ${truncate(name, 40)}:= wants JSON behind it`);
    }),
  );
}

/** `NAME=VALUE`, or a value that is elsewhere: `NAME=@FILE`, `NAME=$VARIABLE`. Messages never contain the value. @throws UsageError */
export function readNamedValue(option: string, text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`${option} wants NAME=VALUE; there is no name before a "="`);
  const value = text.slice(equals + 1);
  return [text.slice(0, equals), valueOf(option, value) ?? value];
}

function valueOf(option: string, source: string): string | null {
  const [, scheme, sign, from] = named.exec(source) ?? [];
  if (from === undefined) return null;
  const value = sign === '@' ? contentOf(option, from) : variable(option, from);
  return scheme === undefined ? value : `${scheme} ${value}`;
}

/** The variables of the environment that hold secrets, as the options of this run say. */
const secretVariables = new Set<string>();

/** The environment for a browser, which outlives us: without the variables that a secret was read from. */
export const browserEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !secretVariables.has(name)));

function variable(option: string, name: string): string {
  const value = process.env[name];
  if (value !== undefined) {
    secretVariables.add(name);
    return value;
  }
  throw new UsageError(`${option}: there is no variable ${truncate(name, 40)} in the environment`);
}

/** The trailing line break of a file is not part of the value, nor the mark of its encoding. */
const contentOf = (option: string, path: string): string =>
  readOptionFile(option, path, 'value').replace(/\r?\n$/, '');
