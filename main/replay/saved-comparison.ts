import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type ComparisonRule, comparisonRuleSchema } from '#shared/contract/comparison.ts';
import { type TracedCall, tracedCallSchema } from '#shared/contract/trace.ts';

/** A JSON file that is read and replaced as a whole. */
interface SavedFile<T> {
  read(): Promise<T>;
  update(change: (before: T) => T): Promise<T>;
}

/** Opens a JSON file of the data folder; a missing one has the initial content. */
export type OpenSavedFile = <Schema extends z.ZodType>(
  path: readonly string[],
  schema: Schema,
  initial: z.infer<Schema>,
) => SavedFile<z.infer<Schema>>;

/** By the name of the server. */
const rulesSchema = z.object({
  version: z.literal(1),
  servers: z.record(z.string(), z.array(comparisonRuleSchema)),
});

const acceptedCallSchema = tracedCallSchema.pick({ outcome: true, response: true, startedAt: true });
type AcceptedCall = z.infer<typeof acceptedCallSchema>;

/** By `keyOf` the recorded call. */
const acceptedSchema = z.object({
  version: z.literal(1),
  calls: z.record(z.string(), acceptedCallSchema),
});

/**
 * The row of the recorded request, with a hash of what was called: a trimmed copy has the identity of its trace, but other calls
 * in the same rows.
 */
function keyOf({ row, method, target, params }: TracedCall): string {
  return `${row} ${shortHash([method, target, params])}`;
}

const shortHash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

/** What identifies a recording: its server, and when it began. */
export interface RecordingIdentity {
  readonly server: unknown;
  readonly clock: { readonly at: number; readonly wall: number };
}

/**
 * What the user said about differences: rules, kept for each server, and responses that are expected from now on, kept for each
 * recording in a file of its own. The trace itself never changes: it is evidence.
 */
export class SavedComparison {
  readonly #open: OpenSavedFile;
  readonly #rules: SavedFile<z.infer<typeof rulesSchema>>;

  constructor(open: OpenSavedFile) {
    this.#open = open;
    this.#rules = open(['comparison-rules.json'], rulesSchema, { version: 1, servers: {} });
  }

  async rulesOf(server: string): Promise<readonly ComparisonRule[]> {
    const { servers } = await this.#rules.read();
    return Object.hasOwn(servers, server) ? (servers[server] ?? []) : [];
  }

  async saveRules(server: string, rules: readonly ComparisonRule[]): Promise<void> {
    await this.#rules.update(({ version, servers }) => {
      const others = Object.entries(servers).filter(([name]) => name !== server);
      const own: (typeof others)[number][] = rules.length === 0 ? [] : [[server, [...rules]]];
      return { version, servers: Object.fromEntries([...others, ...own]) };
    });
  }

  /** Expects this response to a recorded call from now on; null for the recorded one. */
  async accept(
    recording: RecordingIdentity,
    recorded: TracedCall,
    accepted: AcceptedCall | null,
  ): Promise<void> {
    const key = keyOf(recorded);
    await this.#acceptedIn(recording).update(({ version, calls: { [key]: _, ...others } }) => ({
      version,
      calls: accepted === null ? others : { ...others, [key]: accepted },
    }));
  }

  /** The recorded calls with the responses that are expected of them, and the rows of those that were accepted since. */
  async expected(
    recording: RecordingIdentity,
    calls: readonly TracedCall[],
  ): Promise<{ readonly calls: readonly TracedCall[]; readonly acceptedRows: ReadonlySet<number> }> {
    const { calls: accepted } = await this.#acceptedIn(recording).read();
    const acceptedRows = new Set<number>();
    if (Object.keys(accepted).length === 0) return { calls, acceptedRows };
    const expected = calls.map((call) => {
      const now = accepted[keyOf(call)];
      if (now === undefined) return call;
      acceptedRows.add(call.row);
      const { startedAt: _, ...others } = call;
      return { ...others, ...now, isTooLarge: false };
    });
    return { calls: expected, acceptedRows };
  }

  #acceptedIn({ server, clock }: RecordingIdentity): SavedFile<z.infer<typeof acceptedSchema>> {
    const name = `${shortHash([server, clock.at, clock.wall])}.json`;
    return this.#open(['accepted-responses', name], acceptedSchema, { version: 1, calls: {} });
  }
}
