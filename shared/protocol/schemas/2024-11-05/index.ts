import type { RevisionSchema } from '../definitions.ts';
import { features } from './features.ts';
import { messages, shapes } from './messages.ts';

/** The first revision, which is complete, not a set of differences to another. */
export const revision20241105: RevisionSchema = { types: { ...features, ...messages }, shapes };
