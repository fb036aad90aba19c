/** JSON Pointers (RFC 6901): where a value is inside another one. The whole value is the empty pointer. */

/** The pointer to the value at the end of a path. */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The member names and indexes of a pointer. */
export const pointerPath = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
