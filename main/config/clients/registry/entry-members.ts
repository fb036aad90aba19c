import type { JsonNode } from '#config/clients/jsonc.ts';
import { membersOf, textOf } from '#config/clients/json-source.ts';

/*
 * The same date was published with different schemas, and files mix them, so members are read by their presence, never by
 * what `$schema` says.
 */

/** A member by its name in camelCase, or in snake_case as schemas up to 2025-09 have it. */
export const nodeOf = (node: JsonNode | undefined, name: string): JsonNode | undefined =>
  membersOf(node).get(name) ??
  membersOf(node).get(name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** The text of a member; null if it is missing or empty, which means the same. */
export const textIn = (node: JsonNode | undefined, name: string): string | null =>
  textOf(nodeOf(node, name)) || null;

export const isTrue = (node: JsonNode | undefined, name: string): boolean => textIn(node, name) === 'true';
