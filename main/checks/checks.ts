import { messageOf } from '#shared/contract/fault.ts';
import type { Message } from '#shared/protocol/jsonrpc.ts';
import type { Revision } from '#shared/protocol/revisions.ts';
import type { Found, Inspector, SeenNoise } from '#trace/inspector.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { Seen } from '#trace/rows/row-index.ts';
import { checkFault, checkResult } from './envelope-check.ts';
import { IdCheck } from './id-check.ts';
import { checkNoise } from './noise-check.ts';
import { RevisionInForce } from './revision-in-force.ts';
import { broken } from './rules.ts';
import { checkSchema, prepareSchemas } from './schema-check.ts';
import { Unit } from './unit-check.ts';
import { checkAgreed, checkBatch, checkMethod } from './version-check.ts';

/**
 * Looks at every message of one trace: at the envelope, and at what it holds by the schema of the revision in force.
 * Judges both sides, since we too may send what is wrong. Knows no more than the rows, so that a live session and
 * an opened file come to the same findings.
 */
export class Checks implements Inspector {
  readonly #columns: RowColumns;
  readonly #revision: RevisionInForce;
  readonly #ids: IdCheck;

  constructor(columns: RowColumns) {
    this.#columns = columns;
    this.#revision = new RevisionInForce(columns);
    this.#ids = new IdCheck(columns);
    prepareSchemas();
  }

  messages(seen: readonly Seen[]): readonly Found[] {
    const [first] = seen;
    if (first === undefined) return NOTHING;
    try {
      const unit = new Unit(seen, first);
      const found = [...unit.check()];
      for (const one of seen) this.#look(one, unit, found);
      return found;
    } catch (error) {
      return [broken('check/failed', first, `A check of Sightglass broke: ${messageOf(error)}`)];
    }
  }

  noise(noise: SeenNoise): readonly Found[] {
    return [checkNoise(noise)];
  }

  #look(seen: Seen, unit: Unit, found: Found[]): void {
    const revision = this.#revision.of(seen);
    const { envelope } = seen;
    const isEmptyBatch = 'fault' in envelope && envelope.fault === 'empty-batch';
    if (seen.position === 0 && unit.isBatch && !isEmptyBatch) add(found, checkBatch(seen, revision));
    if ('fault' in envelope) {
      this.#ids.close(seen);
      found.push(checkFault(envelope.fault, seen, () => unit.valueOf(seen)));
      return;
    }
    const { message } = envelope;
    const wrongId = this.#ids.look(message, seen);
    add(found, wrongId);
    add(found, checkAgreed(message, seen, this.#columns));
    const wrongResult = message.type === 'result' ? checkResult(message.result, seen) : null;
    add(found, wrongResult);
    // Of what is known in part it cannot be said what is missing in it.
    if (revision === null || wrongResult !== null || seen.isInPart) return;
    // What is said of the id need not be said by the schema once more.
    const problems = this.#bySchema(message, seen, revision);
    for (const one of problems) {
      if (wrongId === null || one.problem.pointer !== '/id') found.push(one);
    }
  }

  #bySchema(message: Message, seen: Seen, revision: Revision): readonly Found[] {
    const wrongMethod = checkMethod(message, seen, revision);
    return wrongMethod === null ? checkSchema(message, seen, revision, this.#columns) : [wrongMethod];
  }
}

const NOTHING: readonly Found[] = [];

function add(found: Found[], one: Found | null): void {
  if (one !== null) found.push(one);
}
