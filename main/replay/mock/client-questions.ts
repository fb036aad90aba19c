import type { ValueDifference } from '#shared/contract/comparison.ts';
import { memberText } from '#shared/json/members.ts';
import { onOneLine } from '#shared/json/tokens.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import { ValueComparer } from '#replay/compare/value-differences.ts';
import type { ForwardedAnswer } from './mock.ts';
import { answerKey, type Recording, type Step } from './recording.ts';

/** A recorded question that was asked. */
interface AskedQuestion {
  readonly id: string;
  readonly answered: Promise<string>;
}

/** The requests of the mock to one client, recorded or forwarded, under ids of their own. */
export class ClientQuestions {
  /** Called with what an answer is remembered by. */
  readonly #remember: (key: string) => void;
  /** What takes the answers that have not come, by our id. */
  readonly #open = new Map<string, (message: string) => void>();
  /** Recorded questions, by their recorded id as JSON text and by `row N`. */
  readonly #asked = new Map<Recording, Map<string, AskedQuestion>>();
  #lastId = 0;

  constructor(remember: (key: string) => void) {
    this.#remember = remember;
  }

  /** Takes a response of the client. @param id JSON text */
  answered(id: string, message: string): void {
    this.#open.get(id)?.(message);
  }

  /** Registers a recorded question; returns its new id. @param text the recorded message */
  ask(text: string, row: number, recording: Recording): string {
    const method = String(JSON.parse(memberText(text, ['method']) ?? '""'));
    const asked = this.#register(method);
    const questions = this.#asked.get(recording) ?? new Map<string, AskedQuestion>();
    this.#asked.set(recording, questions);
    questions.set(`row ${row}`, asked).set(memberText(text, ['id']) ?? '', asked);
    return asked.id;
  }

  /** Our id of a recorded question; undefined if it was not asked. @param recordedId JSON text */
  idOf(recording: Recording, recordedId: string): string | undefined {
    return this.#asked.get(recording)?.get(recordedId)?.id;
  }

  /** Waits for the answer to a recorded question; returns how it differs from the recorded one, null if none comes. */
  async differences(
    { row, answerRow }: Step,
    recording: Recording,
    signal: AbortSignal,
  ): Promise<readonly ValueDifference[] | null> {
    const asked = this.#asked.get(recording)?.get(`row ${row}`);
    if (asked === undefined || answerRow === null) return [];
    const answer = await unlessAborted(asked.answered, signal);
    if (answer === null) return null;
    const method = memberText(await recording.text(row), ['method']);
    // Folders are those of the machine, and a server seldom depends on them.
    if (method === '"roots/list"' || method === '"ping"') return [];
    const recorded = outcomeOf(await recording.text(answerRow));
    return comparer.compare(recorded, outcomeOf(answer), {
      at: ['answer'],
      moments: { recorded: null, other: Date.now() },
    }).differences;
  }

  /** Asks what another server asks; resolves with the answer of the client. */
  async forward(
    method: string,
    params: string,
    send: (text: string) => void,
    signal: AbortSignal,
  ): Promise<ForwardedAnswer> {
    const { id, answered } = this.#register(method);
    send(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${onOneLine(params)}}`);
    const message = await unlessAborted(answered, signal);
    if (message === null) return { member: 'error', json: JSON.stringify(clientIsGone) };
    const result = memberText(message, ['result']);
    return result === null
      ? { member: 'error', json: memberText(message, ['error']) ?? '{}' }
      : { member: 'result', json: result };
  }

  #register(method: string): AskedQuestion {
    const id = String(++this.#lastId);
    const answered = new Promise<string>((resolve) => {
      this.#open.set(id, (message) => {
        this.#open.delete(id);
        this.#remember(answerKey(method, message));
        resolve(message);
      });
    });
    return { id, answered };
  }
}

const clientIsGone = { code: errorCodes.internalError, message: 'The client has left.' };

/** Model text is free, and ids and times are those of the client: no rule but equality is known. */
const comparer = new ValueComparer([]);

const outcomeOf = (message: string): string =>
  memberText(message, ['result']) ?? memberText(message, ['error']) ?? '{}';

/** Null if the signal aborts first. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null;
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
    promise.then(resolve, reject);
  });
}
