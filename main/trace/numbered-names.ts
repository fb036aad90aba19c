/** Names to try for a new file: the name, then numbered variants in case it is taken. */
export function* numberedNames(name: string, extension: string): Generator<string> {
  yield name + extension;
  for (let count = 2; count <= MAX_TRIES; count++) yield `${name}-${count}${extension}`;
}

const MAX_TRIES = 1000;
