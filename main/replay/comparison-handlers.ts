import { type ComparisonRule, MAX_SHOWN_RESPONSE } from '#shared/contract/comparison.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Handlers } from '#shared/contract/index.ts';
import { reportOf } from '#shared/comparison-report.ts';
import { parsePattern } from '#shared/json/path-pattern.ts';
import { type KeptComparisonOptions, KeptComparisons, latencyOfSteps } from './kept-comparisons.ts';
import { readSide } from './read-sides.ts';

type ComparisonCommand = Extract<keyof Handlers, `comparison/${string}`>;

/** Compares sessions and traces. What is compared was read from the trace, or redacted by the list it is from. */
export function comparisonHandlers(options: KeptComparisonOptions): Pick<Handlers, ComparisonCommand> {
  const { saved, summary } = options;
  const kept = new KeptComparisons(options);
  const serverOf = async (sessionId: string): Promise<string> => (await summary({ sessionId })).server.name;
  return {
    'comparison/compare': async ({ recorded, other, rules, replay }) => {
      mustBeUsable(rules);
      const [left, right] = await Promise.all([readSide(recorded, options), readSide(other, options)]);
      const { comparison } = await options.compare({ recorded: left, other: right, rules, replay });
      return { ...comparison, steps: await latencyOfSteps({ comparison, recorded, other }, options) };
    },
    'comparison/open': ({ recorded, other, replay }) => kept.open(recorded, other, replay),
    'comparison/calls': ({ comparisonId, places }) => {
      const { comparison } = kept.get(comparisonId);
      return places.flatMap((place) => comparison.calls[place] ?? []);
    },
    'comparison/responses': async ({ comparisonId, place }) => {
      const { recorded, other } = await kept.sidesOf(kept.get(comparisonId), place);
      const texts = [recorded?.response ?? null, other?.response ?? null];
      const [left = null, right = null] = texts.map((text) => text?.slice(0, MAX_SHOWN_RESPONSE) ?? null);
      const isTruncated = texts.some((text) => (text?.length ?? 0) > MAX_SHOWN_RESPONSE);
      return { recorded: left, other: right, isTruncated };
    },
    'comparison/report': async ({ comparisonId, format, gate }) => {
      const { comparison, recorded } = kept.get(comparisonId);
      return { text: reportOf(comparison, { format, gate, name: await serverOf(recorded) }) };
    },
    'comparison/close': ({ comparisonId }) => {
      kept.close(comparisonId);
      return null;
    },
    'comparison/accept': async ({ comparisonId, place, isAccepted }) => {
      const one = kept.get(comparisonId);
      const { recorded, other } = await kept.sidesOf(one, place);
      if (recorded === null || (isAccepted && (other === null || other.response === null))) {
        throw new FaultError(nothingToAccept);
      }
      const accepted = other && {
        outcome: other.outcome,
        response: other.response,
        ...(other.startedAt !== undefined && { startedAt: other.startedAt }),
      };
      await saved.accept(one.recording, recorded, isAccepted ? accepted : null);
      return null;
    },
    'comparison/rules': async ({ sessionId }) => [...(await saved.rulesOf(await serverOf(sessionId)))],
    'comparison/save-rules': async ({ sessionId, rules }) => {
      mustBeUsable(rules);
      await saved.saveRules(await serverOf(sessionId), rules);
      return rules;
    },
  };
}

/** @throws FaultError if a path cannot be parsed, or a pattern is not a valid regular expression */
function mustBeUsable(rules: readonly ComparisonRule[]): void {
  for (const { path, compare, pattern = '' } of rules) {
    if (parsePattern(path) === null) throw new FaultError(badPath(path));
    if (compare === 'regex' && !isRegularExpression(pattern)) throw new FaultError(badPattern(path, pattern));
  }
}

function isRegularExpression(pattern: string): boolean {
  try {
    void new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

const nothingToAccept = {
  code: 'nothing-to-accept',
  what: 'This call has no two responses, so none can be accepted.',
  next: 'Replay it, then accept the response that came.',
};

const badPath = (path: string) => ({
  code: 'bad-path',
  what: `${path} is not a JSON path.`,
  next: 'Write it like $.structuredContent.items[*].id, or $..id for every id.',
});

const badPattern = (path: string, pattern: string) => ({
  code: 'bad-pattern',
  what: `The pattern of the rule for ${path} is not a valid regular expression.`,
  next: 'Correct it, or write a backslash before characters that are meant as they are.',
  evidence: pattern,
});
