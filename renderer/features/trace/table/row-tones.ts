import type { Tone } from './row-words.ts';

/** The class of a text of each tone. */
export const toneClasses: Readonly<Record<Tone, string>> = {
  plain: 'text-text',
  mute: 'text-mute',
  faint: 'text-faint',
  in: 'text-in',
  out: 'text-out',
  warn: 'text-warn',
  err: 'text-err',
};
