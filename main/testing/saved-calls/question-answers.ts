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

/** What became of the answers of a call, by their index in the file. */
export interface GivenAnswers {
  /** Those that could not be given to what the server asked, and why. */
  readonly unfit: readonly { readonly index: number; readonly why: string }[];
  readonly unused: readonly number[];
}

interface Running {
  readonly left: { readonly index: number; readonly one: SavedCall['answers'][number] }[];
  readonly unfit: { readonly index: number; readonly why: string }[];
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

  /** Answers the questions of a call until `end` is called. */
  take(
    sessionId: string,
    callId: string,
    answers: SavedCall['answers'],
    variables: ReadonlyMap<string, string>,
  ): { readonly end: () => GivenAnswers } {
    const ofSession = this.#running.get(sessionId) ?? new Map<string, Running>();
    const running: Running = {
      left: answers.map((one, index) => ({ index, one })),
      unfit: [],
      variables,
    };
    this.#running.set(sessionId, ofSession.set(callId, running));
    return {
      end: () => {
        ofSession.delete(callId);
        if (ofSession.size === 0 && this.#running.get(sessionId) === ofSession)
          this.#running.delete(sessionId);
        return { unfit: running.unfit, unused: running.left.map(({ index }) => index) };
      },
    };
  }

  #take(entry: InboxEntry): void {
    if (entry.state !== 'waiting' || entry.by === 'error') return;
    const found = this.#answerTo(entry);
    if (found === null) return;
    const { index, answer, variables, unfit } = found;
    const given: InboxAnswer =
      answer.kind === 'result' ? { ...answer, json: withVariables(answer.json, variables) } : answer;
    try {
      this.#answer(entry.sessionId, entry.id, given);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      if (error.fault.code === 'nothing-to-answer') return;
      // The file says who answers, so the call does not wait for a user.
      unfit.push({ index, why: `the answer to ${entry.method} cannot be given: ${error.fault.what}` });
      this.#decline(entry);
    }
  }

  #decline({ sessionId, id }: InboxEntry): void {
    try {
      this.#answer(sessionId, id, { kind: 'decline' });
    } catch (error) {
      // It no longer waits.
      if (!(error instanceof FaultError)) throw error;
    }
  }

  /** Takes the answer out of those of its call, or of any call if it is unknown which one asked. */
  #answerTo(
    entry: InboxEntry,
  ):
    | (Pick<Running, 'variables' | 'unfit'> & { readonly index: number; readonly answer: InboxAnswer })
    | null {
    for (const [callId, { left, variables, unfit }] of this.#running.get(entry.sessionId) ?? []) {
      if (entry.callId !== null && entry.callId !== callId) continue;
      const place = left.findIndex(({ one }) => ruleApplies(one, entry));
      const [found] = place === -1 ? [] : left.splice(place, 1);
      if (found !== undefined) return { index: found.index, answer: found.one.answer, variables, unfit };
    }
    return null;
  }
}
