import type { ModelPreferences } from './read-question.ts';

/** How one hint was matched against the names of the user's models. */
interface HintMatch {
  readonly hint: string;
  /** The first name that contains the hint; null if none does. */
  readonly model: string | null;
  /** Whether an earlier hint has already chosen the model. */
  readonly isIgnored: boolean;
}

export interface ModelChoice {
  /** The model that a client would choose; null without names to choose from. */
  readonly model: string | null;
  readonly hints: readonly HintMatch[];
}

/**
 * Chooses a model as a client would: hints are evaluated in order, each matches names that contain it, and the first match
 * wins; without one the user's first model is used (MCP 2025-06-18 sampling, model preferences).
 *
 * @param names the user's models, the preferred one first
 */
export function chooseModel(
  preferences: ModelPreferences | undefined,
  names: readonly string[],
): ModelChoice {
  let chosen: string | null = null;
  const hints: HintMatch[] = [];
  for (const { name: hint } of preferences?.hints ?? []) {
    // Only names are specified so far.
    if (hint === undefined || hint === '') continue;
    const found = names.find((name) => name.toLowerCase().includes(hint.toLowerCase())) ?? null;
    hints.push({ hint, model: found, isIgnored: chosen !== null });
    chosen ??= found;
  }
  return { model: chosen ?? names[0] ?? null, hints };
}
