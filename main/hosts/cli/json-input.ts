import { readFileSync } from 'node:fs';
import { messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { UsageError } from './exit-codes.ts';
import { quoted } from './given.ts';

/**
 * A JSON object as it was typed, or as it stands in a file where `@FILE` was typed.
 *
 * @param option what it was given for, to name it in the complaint
 * @throws UsageError when it is none
 */
export function readJsonObject(option: string, given: string): string {
  const json = given.startsWith('@') ? readText(option, given.slice(1)) : given;
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

function readText(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `${option}: the file ${quoted(path)} cannot be read (${systemCodeOf(error) ?? messageOf(error)})`,
    );
  }
}
