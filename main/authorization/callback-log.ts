import type { AuthorizationFinding, AuthorizationStep } from '#shared/contract/authorization.ts';
import { MAX_CALLBACKS, type ReceivedCallback } from '#shared/contract/authorization-callback.ts';
import type { PlannedStep } from './flow-types.ts';
import { type ArrivedCallback, describeCallback, isStrayAnswer } from './received-callback.ts';

type CallbackAct = Extract<PlannedStep['act'], { kind: 'callback' }>;

/** Limit of strays that are counted, so that a page that sends them without end changes nothing any more. */
const MAX_COUNTED = 1000;

/** What came to the redirect URI while a step waited. */
export class CallbackLog {
  readonly #act: CallbackAct;
  readonly #callbacks: ReceivedCallback[] = [];
  readonly #seen = new Set<ArrivedCallback>();
  /** One of each rule: a page can send any number. */
  readonly #findings = new Map<string, AuthorizationFinding>();
  #more = 0;

  constructor(act: CallbackAct) {
    this.#act = act;
  }

  /** What the step shows of it. */
  get shown(): Pick<AuthorizationStep, 'callbacks' | 'moreCallbacks'> {
    return { callbacks: [...this.#callbacks], moreCallbacks: this.#more };
  }

  /** What is wrong with those that are not the answer. */
  get findings(): readonly AuthorizationFinding[] {
    return [...this.#findings.values()];
  }

  /** Adds one that is not the answer; returns whether that changes what is shown. */
  addStray(stray: ArrivedCallback): boolean {
    if (isStrayAnswer(stray))
      for (const finding of this.#act.findingsOf(stray)) this.#findings.set(finding.rule, finding);
    // The last place is for the answer.
    if (this.#callbacks.length < MAX_CALLBACKS - 1) {
      this.#add(stray);
      return true;
    }
    this.#more++;
    return this.#more <= MAX_COUNTED;
  }

  /** Adds what ended the wait: the answer, or the last stray, which may be here already. */
  addLast(last: ArrivedCallback): void {
    if (!this.#seen.has(last)) this.#add(last);
  }

  #add(one: ArrivedCallback): void {
    this.#seen.add(one);
    this.#callbacks.push(describeCallback(one, this.#act.expected));
  }
}
