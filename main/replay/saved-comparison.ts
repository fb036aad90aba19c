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

const acceptedCallSchema = tracedCallSchema.pick({ outcome: true, response: true });
type AcceptedCall = z.infer<typeof acceptedCallSchema>;

/** By the row of the recorded request. */
const acceptedSchema = z.object({
  version: z.literal(1),
  calls: z.record(z.string().regex(/^\d+$/), acceptedCallSchema),
});

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

  /** Expects this response to a recorded call from now on; null for the recorded one. @param row of the recorded request */
  async accept(recording: RecordingIdentity, row: number, call: AcceptedCall | null): Promise<void> {
    await this.#acceptedIn(recording).update(({ version, calls: { [row]: _, ...others } }) => ({
      version,
      calls: call === null ? others : { ...others, [row]: call },
    }));
  }

  /** The recorded calls with the responses that are expected of them, and the rows of those that were accepted since. */
  async expected(
    recording: RecordingIdentity,
    calls: readonly TracedCall[],
  ): Promise<{ readonly calls: readonly TracedCall[]; readonly acceptedRows: ReadonlySet<number> }> {
    const { calls: accepted } = await this.#acceptedIn(recording).read();
    const rows = new Set(Object.keys(accepted).map(Number));
    if (rows.size === 0) return { calls, acceptedRows: rows };
    return {
      calls: calls.map((call) => {
        const { outcome, response } = accepted[call.row] ?? call;
        return rows.has(call.row) ? { ...call, outcome, response, isTooLarge: false } : call;
      }),
      acceptedRows: rows,
    };
  }

  #acceptedIn({ server, clock }: RecordingIdentity): SavedFile<z.infer<typeof acceptedSchema>> {
    const hash = createHash('sha256').update(JSON.stringify([server, clock.at, clock.wall]));
    const name = `${hash.digest('hex').slice(0, 32)}.json`;
    return this.#open(['accepted-responses', name], acceptedSchema, { version: 1, calls: {} });
  }
}
