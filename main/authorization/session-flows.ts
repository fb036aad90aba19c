import { randomUUID } from 'node:crypto';
import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { ServerTests } from '#shared/contract/server-tests.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { Throttle } from '#transports/async.ts';
import { Flow } from './flow.ts';
import { environmentOf, type FlowChoices, type FlowSurroundings } from './flow-environment.ts';
import { isEnded } from './flow-steps.ts';
import type { FlowContext, PlannedStep, RegisteredClient } from './flow-types.ts';
import type { StoredCredentialsPlan } from './stored-credentials-plan.ts';
import type { TokensInUse } from './tokens-in-use.ts';

export interface SessionAuthorizationOptions extends FlowSurroundings {
  readonly sessionId: string;
  readonly redacted: <T>(value: T) => Redacted<T>;
  /** Whether the app connects by itself, so that a flow that the server demands opens no browser until the user does. */
  readonly isUnattended: boolean;
  /** Records in the trace that steps have ended. */
  readonly record: (what: string, flow: AuthorizationFlow, steps: readonly AuthorizationStep[]) => void;
  readonly onChange: (flow: Redacted<AuthorizationFlow>) => void;
  /** Marks a row of the trace with a note. */
  readonly markRow: (row: number, note: string) => void;
  /** Header lines of the user for the server. */
  readonly customHeaders: HeaderLines;
  /** The tests of the server have changed. */
  readonly onServerTests: (tests: Redacted<ServerTests>) => void;
}

/** Milliseconds between two events about a flow. */
const NOTICE_EVERY = 50;

export interface StartOptions extends FlowChoices {
  readonly mode: AuthorizationFlow['mode'];
  readonly first?: PlannedStep;
  readonly plan?: StoredCredentialsPlan;
}

export interface RunningFlow {
  readonly flow: Flow;
  /** Closes what listens for the flow. */
  readonly release: () => Promise<void>;
  /** Whether it only refreshes, revokes or introspects. */
  readonly isAboutStored: boolean;
  /** Whether only the tests of the server use its tokens. */
  readonly isForTests: boolean;
}

/** What the trace has of a flow. */
interface Recorded {
  readonly steps: Map<number, AuthorizationStep>;
  state: AuthorizationFlow['state'] | null;
}

/** The flows of one session, in their order. */
export class SessionFlows {
  readonly #options: SessionAuthorizationOptions;
  /** What the flows share. */
  readonly #kept: { readonly clients: Map<string, RegisteredClient>; readonly tokens: TokensInUse };
  readonly #flows: RunningFlow[] = [];

  constructor(
    options: SessionAuthorizationOptions,
    kept: { readonly clients: Map<string, RegisteredClient>; readonly tokens: TokensInUse },
  ) {
    this.#options = options;
    this.#kept = kept;
  }

  get views(): Redacted<AuthorizationFlow>[] {
    return this.#flows.map(({ flow }) => flow.view);
  }

  get last(): Flow | null {
    return this.#flows.at(-1)?.flow ?? null;
  }

  get count(): number {
    return this.#flows.length;
  }

  /** The flow with this id; null if it does not belong to this session. */
  find(id: string): Flow | null {
    return this.#flows.find(({ flow }) => flow.id === id)?.flow ?? null;
  }

  /** Ends all flows. Idempotent. */
  async close(): Promise<void> {
    for (const { flow, release } of this.#flows) {
      flow.cancel();
      await release();
    }
  }

  /** Begins a flow. */
  start(context: FlowContext, how: StartOptions): RunningFlow {
    const options = this.#options;
    const { environment, release } = environmentOf(options, how, this.#kept);
    const recorded: Recorded = { steps: new Map(), state: null };
    const notice = new Throttle(NOTICE_EVERY, () => options.onChange(flow.view));
    const { plan } = how;
    const flow: Flow = new Flow({
      id: randomUUID(),
      sessionId: options.sessionId,
      number: this.#flows.length + 1,
      mode: how.mode,
      environment,
      context,
      ...(how.first !== undefined && { first: how.first }),
      ...(plan !== undefined && { plan }),
      redacted: options.redacted,
      onChange: () => {
        notice.request();
        this.#record(flow, recorded);
        // A flow without a session has asked the server itself.
        if (this.#kept.tokens.current === null && flow.path[0]?.response?.status === 401)
          this.#kept.tokens.noteDemand(true);
        if (flow.isOver) void release();
      },
    });
    const running: RunningFlow = {
      flow,
      release,
      isAboutStored: plan !== undefined,
      isForTests: how.forTests !== undefined,
    };
    this.#flows.push(running);
    void flow.begin();
    return running;
  }

  /** Records the steps that have ended since the last time, and the end of the flow. */
  #record(flow: Flow, recorded: Recorded): void {
    const { view } = flow;
    const ended = view.steps.filter((step) => {
      const before = recorded.steps.get(step.id);
      return (
        isEnded(step) &&
        (before?.state !== step.state ||
          before.outcome !== step.outcome ||
          before.row !== step.row ||
          before.isWrongAccepted !== step.isWrongAccepted)
      );
    });
    const isOver = flow.isOver && recorded.state !== view.state;
    if (ended.length === 0 && !isOver) return;
    for (const step of ended) recorded.steps.set(step.id, step);
    recorded.state = view.state;
    const last = ended.at(-1);
    const what = last === undefined ? `flow ${view.number}: ${view.state}` : `${last.name}: ${last.outcome}`;
    this.#options.record(what, view, ended);
  }
}
