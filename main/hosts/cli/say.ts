import { visibleLines } from './visible-text.ts';

/** Tells the user something on stderr; stdout belongs to what a command was asked for. */
export const say = (text: string): void => {
  process.stderr.write(`sightglass: ${visibleLines(text)}\n`);
};
