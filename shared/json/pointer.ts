/** JSON Pointers (RFC 6901): where a value is inside another one. The whole value is the empty pointer. */

/** A member name or an index as one step of a pointer, without the slash. */
export const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The pointer to the value at the end of a path. */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${escapePointer(String(key))}`).join('');

/** The member names and indexes of a pointer. */
export const pointerPath = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
