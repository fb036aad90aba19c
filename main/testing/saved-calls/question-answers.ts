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
  readonly left: SavedCall['answers'][number][];
  readonly variables: ReadonlyMap<string, string>;
}

/** Answers what servers ask during a saved call with the answers that the file has for it. */
export class QuestionAnswers {
  /** By session, then by call: several may run at a time. */
  readonly #running = new Map<string, Map<string, Running>>();
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
    const ofSession = this.#running.get(sessionId) ?? new Map<string, Running>();
    this.#running.set(sessionId, ofSession.set(callId, { left: [...answers], variables }));
    return () => {
      ofSession.delete(callId);
      if (ofSession.size === 0 && this.#running.get(sessionId) === ofSession) this.#running.delete(sessionId);
    };
  }

  #take(entry: InboxEntry): void {
    if (entry.state !== 'waiting' || entry.by === 'error') return;
    const found = this.#answerTo(entry);
    if (found === null) return;
    const { answer, variables } = found;
    const given: InboxAnswer =
      answer.kind === 'result' ? { ...answer, json: withVariables(answer.json, variables) } : answer;
    try {
      this.#answer(entry.sessionId, entry.id, given);
    } catch (error) {
      // The answer does not fit the question, which waits for the user or a rule.
      if (!(error instanceof FaultError)) throw error;
    }
  }

  /** Takes the answer out of those of its call, or of any call if it is unknown which one asked. */
  #answerTo(
    entry: InboxEntry,
  ): { readonly answer: InboxAnswer; readonly variables: ReadonlyMap<string, string> } | null {
    for (const [callId, { left, variables }] of this.#running.get(entry.sessionId) ?? []) {
      if (entry.callId !== null && entry.callId !== callId) continue;
      const place = left.findIndex((one) => ruleApplies(one, entry));
      const [found] = place === -1 ? [] : left.splice(place, 1);
      if (found !== undefined) return { answer: found.answer, variables };
    }
    return null;
  }
}
