import { messageOf } from '#shared/contract/fault.ts';
import type { Message } from '#shared/protocol/jsonrpc.ts';
import type { Revision } from '#shared/protocol/revisions.ts';
import type { NewFinding, Checker } from '#trace/findings.ts';
import type {
  RecordedSseEvent,
  RecordedNoise,
  RecordedExchangeStep,
  RecordedMessage,
} from '#trace/recorded-message.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import {
  CapabilityCheck,
  RevisionInForce,
  checkAgreed,
  checkBatch,
  checkMethod,
} from './negotiation-check.ts';
import { checkDefect, checkExtra, checkResult } from './envelope-check.ts';
import { checkSchema, prepareSchemas } from './schema-check.ts';
import { ExchangeCheck } from './exchange-check.ts';
import { IdCheck, ProgressCheck } from './correlation-check.ts';
import { checkNoise, Unit } from './unit-check.ts';
import { newFinding, type MessageRef } from './rules.ts';

/**
 * Checks everything in a trace: the JSON-RPC envelope of each message and its content against the schema of the revision in
 * force, but also noise, HTTP exchanges and events.
 * Checks both sides, since we may send invalid messages too. Depends on what was recorded alone, so that a live session and an
 * opened file get the same findings.
 */
export class Checks implements Checker {
  readonly #columns: RowColumns;
  readonly #revision: RevisionInForce;
  readonly #ids: IdCheck;
  readonly #progress: ProgressCheck;
  readonly #capabilities: CapabilityCheck;
  /** Null until there is an HTTP exchange. */
  #exchanges: ExchangeCheck | null = null;

  constructor(columns: RowColumns) {
    this.#columns = columns;
    this.#revision = new RevisionInForce(columns);
    this.#ids = new IdCheck(columns);
    this.#progress = new ProgressCheck(columns);
    this.#capabilities = new CapabilityCheck(columns);
    prepareSchemas();
  }

  messages(recorded: readonly RecordedMessage[]): readonly NewFinding[] {
    const [first] = recorded;
    if (first === undefined) return NOTHING;
    return guarded(first, () => {
      const unit = new Unit(recorded, first);
      const found = [...unit.check()];
      // For HTTP, the exchange reports a cut body.
      if (first.isCut === true && first.exchange === null) {
        found.push(newFinding('stdio/unterminated-last-line', first, NO_NEWLINE));
      }
      for (const one of recorded) this.#checkMessage(one, unit, found);
      return found;
    });
  }

  noise(noise: RecordedNoise): readonly NewFinding[] {
    return [checkNoise(noise)];
  }

  exchangeStep(step: RecordedExchangeStep): readonly NewFinding[] {
    return guarded({ row: step.row, direction: 'in' }, () => {
      this.#exchanges ??= new ExchangeCheck(this.#columns);
      return this.#exchanges.step(step);
    });
  }

  sseEvent(event: RecordedSseEvent): readonly NewFinding[] {
    return guarded({ row: event.row, direction: 'in' }, () => this.#exchanges?.event(event) ?? NOTHING);
  }

  #checkMessage(recorded: RecordedMessage, unit: Unit, found: NewFinding[]): void {
    const revision = this.#revision.of(recorded);
    const { envelope } = recorded;
    const isEmptyBatch = 'defect' in envelope && envelope.defect === 'empty-batch';
    if (recorded.position === 0 && unit.isBatch && !isEmptyBatch) add(found, checkBatch(recorded, revision));
    if ('defect' in envelope) {
      this.#ids.close(recorded);
      this.#progress.checkInvalid(recorded);
      this.#exchanges?.checkInvalid(recorded);
      found.push(checkDefect(envelope.defect, recorded, () => unit.valueOf(recorded)));
      return;
    }
    const { message, extra } = envelope;
    if (extra !== undefined) found.push(checkExtra(extra, recorded));
    const wrongId = this.#ids.check(message, recorded);
    add(found, wrongId);
    add(found, this.#progress.check(message, recorded));
    if (this.#exchanges !== null) add(found, this.#exchanges.check(message, recorded, revision));
    const ofCapabilities = this.#capabilities.check(message, recorded, revision);
    found.push(...ofCapabilities);
    add(found, checkAgreed(message, recorded, this.#columns));
    const wrongResult = message.type === 'result' ? checkResult(message.result, recorded) : null;
    add(found, wrongResult);
    // Missing members cannot be told from truncated ones.
    if (revision === null || wrongResult !== null || recorded.isTruncated) return;
    // The schema would report the same wrong id or capability again.
    const isReported = ({ violation: { pointer } }: NewFinding): boolean =>
      pointer === '/id'
        ? wrongId !== null
        : ofCapabilities.some(({ violation }) => violation.pointer !== null && violation.pointer === pointer);
    found.push(...this.#bySchema(message, recorded, revision).filter((one) => !isReported(one)));
  }

  #bySchema(message: Message, recorded: RecordedMessage, revision: Revision): readonly NewFinding[] {
    const wrongMethod = checkMethod(message, recorded, revision);
    return wrongMethod === null ? checkSchema(message, recorded, revision, this.#columns) : [wrongMethod];
  }
}

const NOTHING: readonly NewFinding[] = [];
const NO_NEWLINE = 'The output ended after this message without the newline that ends each message';

/** Runs a check. One that throws is reported as the finding `check/failed`. */
function guarded(ref: MessageRef, check: () => readonly NewFinding[]): readonly NewFinding[] {
  try {
    return check();
  } catch (error) {
    return [newFinding('check/failed', ref, `A check of Sightglass broke: ${messageOf(error)}`)];
  }
}

function add(found: NewFinding[], one: NewFinding | null): void {
  if (one !== null) found.push(one);
}
