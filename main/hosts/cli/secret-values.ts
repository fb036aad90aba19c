import { readFileSync } from 'node:fs';
import { messageOf } from '#shared/contract/fault.ts';
import { UsageError } from './exit-codes.ts';

export const secretNotes = `A command line is seen by every user of the machine, so secrets are better named than written:
--header NAME=@FILE and --header 'NAME=$VARIABLE' send what the file or the variable holds; a scheme may stand
before it, as in --header 'Authorization=Bearer $TOKEN'. --secret-env takes the same, or a name alone for the
variable of that name here.`;

/** What comes before `@FILE` or `$VARIABLE` is a scheme, such as `Bearer`. */
const named = /^(?:([A-Za-z][A-Za-z0-9-]*) +)?([@$])(.+)$/s;

/** `NAME=@FILE` or `NAME=$VARIABLE`; null when it is none of these. What it holds is never repeated. @throws UsageError */
export function readNamedHeader(text: string): [name: string, value: string] | null {
  const [, name, source] = /^([^:=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || source === undefined) return null;
  const value = valueOf('--header', source);
  if (value !== null) return [name, value];
  throw new UsageError(
    `--header ${short(name)}= wants @FILE or $VARIABLE behind it; a value goes behind a colon, as in "Name: value"`,
  );
}

/** `NAME`, `NAME=@FILE` or `NAME=$VARIABLE`. @throws UsageError */
export function readSecretVariable(text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  if (name === '') throw new UsageError('--secret-env wants the name of a variable');
  if (equals === -1) return [name, variable('--secret-env', name)];
  const value = valueOf('--secret-env', text.slice(equals + 1));
  if (value !== null) return [name, value];
  throw new UsageError(
    `--secret-env ${short(name)}= wants @FILE or $VARIABLE behind it: a value written there would be seen by every user`,
  );
}

function valueOf(option: string, source: string): string | null {
  const [, scheme, sign, from] = named.exec(source) ?? [];
  if (from === undefined) return null;
  const value = sign === '@' ? contentOf(option, from) : variable(option, from);
  return scheme === undefined ? value : `${scheme} ${value}`;
}

function variable(option: string, name: string): string {
  const value = process.env[name];
  if (value !== undefined) return value;
  throw new UsageError(`${option}: there is no variable ${short(name)} in the environment`);
}

/** The line break at the end of a file is the editor's. */
function contentOf(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`${option}: ${messageOf(error)}`);
  }
}

const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
