import { FaultError } from '#shared/contract/fault.ts';
import { type InboxAnswer, type InboxEntry, ruleApplies } from '#shared/contract/inbox.ts';
import type { SavedCall } from '#shared/contract/saved-calls.ts';
import { withVariables } from '#shared/json/variables.ts';

interface Source {
  /** Calls back when a question comes or changes, until the function it returns is called. */
  readonly onQuestion: (listener: (entry: InboxEntry) => void) => () => void;
  /** @throws FaultError if it does not fit the question */
  readonly answer: (sessionId: string, entryId: string, answer: InboxAnswer) => void;
}

interface Running {
  readonly callId: string;
  readonly left: SavedCall['answers'][number][];
  readonly variables: ReadonlyMap<string, string>;
}

/** Answers what servers ask during a saved call with the answers that the file has for it. */
export class QuestionAnswers {
  readonly #running = new Map<string, Running>();
  readonly #answer: Source['answer'];

  /** Listens before anybody else is asked: what the file answers, no user has to. */
  constructor({ onQuestion, answer }: Source) {
    this.#answer = answer;
    onQuestion((entry) => this.#take(entry));
  }

  /** Answers the questions of a call until the returned function is called. */
  take(
    sessionId: string,
    callId: string,
    answers: SavedCall['answers'],
    variables: ReadonlyMap<string, string>,
  ): () => void {
    this.#running.set(sessionId, { callId, left: [...answers], variables });
    return () => this.#running.delete(sessionId);
  }

  #take(entry: InboxEntry): void {
    const running = this.#running.get(entry.sessionId);
    if (running === undefined || entry.state !== 'waiting' || entry.by === 'error') return;
    if (entry.callId !== null && entry.callId !== running.callId) return;
    const place = running.left.findIndex((one) => ruleApplies(one, entry));
    const [found] = place === -1 ? [] : running.left.splice(place, 1);
    if (found === undefined) return;
    const { answer } = found;
    const given: InboxAnswer =
      answer.kind === 'result' ? { ...answer, json: withVariables(answer.json, running.variables) } : answer;
    try {
      this.#answer(entry.sessionId, entry.id, given);
    } catch (error) {
      // The answer does not fit the question, which waits for the user or a rule.
      if (!(error instanceof FaultError)) throw error;
    }
  }
}
