import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  beginFlow,
  browserOfUser,
  flowNow,
  settledFlow,
  stepThrough,
} from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { providerFixtures } from '#fixtures/authorization/providers/all.ts';
import type { ProviderFixture } from '#fixtures/authorization/providers/fixture.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { withProviderSettings } from '#shared/authorization/providers/settings.ts';
import { knownProviders } from '#shared/authorization/providers/table.ts';
import { trapsIn } from '#shared/authorization/providers/traps.ts';
import {
  type AuthorizationFlow,
  type AuthorizationSettings,
  defaultAuthorization,
} from '#shared/contract/authorization.ts';

let engine: EngineFixture;
beforeAll(async () => {
  engine = await EngineFixture.open({ openInBrowser: browserOfUser(() => engine) });
});
afterAll(() => engine.close());

const modes = ['automatic', 'stepped'] as const;

async function serve(options: ProtectedServerOptions): Promise<ProtectedServer> {
  const server = await ProtectedServer.open(options);
  onTestFinished(() => server.close());
  return server;
}

interface Run {
  readonly mode: AuthorizationFlow['mode'];
  readonly settings: Partial<AuthorizationSettings>;
  readonly revision: string | null;
}

/** A flow to its end; a fault from which a stepped flow can continue is passed. */
async function run({ url }: ProtectedServer, { mode, settings, revision }: Run): Promise<AuthorizationFlow> {
  const begun = await beginFlow(engine, url, { mode, settings, revision });
  let flow = await stepThrough(engine, begun);
  while (flow.canOverride) {
    await engine.call('authorization/override', { flowId: flow.id });
    flow = await stepThrough(engine, await settledFlow(engine, flow));
  }
  return (await flowNow(engine, flow)) ?? flow;
}

/** The settings that the window fills in when the user chooses the provider. */
const presetOf = (
  { id, client }: ProviderFixture,
  { resource }: ProtectedServer,
): Partial<AuthorizationSettings> => ({
  ...client,
  ...withProviderSettings({ ...defaultAuthorization, ...client }, knownProviders[id].settings, resource),
  knownProvider: id,
  ...(knownProviders[id].settings.registration === 'pre-registered' && { registration: 'pre-registered' }),
});

describe.each(providerFixtures)('$id', (fixture) => {
  const { id, options, client, cases, revision = null } = fixture;

  test('has a case for each trap of the table', () => {
    const shown = new Set(cases.map(({ trap }) => trap));
    expect(knownProviders[id].traps.map((trap) => trap.id).filter((trap) => !shown.has(trap))).toEqual([]);
  });

  test.each(modes)('with the preset, a flow ends with a token that the server accepts: %s', async (mode) => {
    const server = await serve(options());
    const flow = await run(server, { mode, settings: presetOf(fixture, server), revision });
    expect({ state: flow.state, fault: flow.fault }).toEqual({ state: 'done', fault: null });
    expect(flow.steps.at(-1)).toMatchObject({ name: 'use-token', state: 'done' });
    expect(server.leaks).toEqual([]);
  });

  test.each(cases.flatMap((one) => modes.map((mode) => [one.trap, one.label ?? '', mode, one] as const)))(
    'without it, the trap "%s" %s is named: %s',
    async (trap, _label, mode, {
      change,
      settings = {},
      revision: own = null,
      isPage = false,
      refreshes,
    }) => {
      const server = await serve(change?.(options()) ?? options());
      let flow = await run(server, { mode, settings: { ...client, ...settings }, revision: own });
      if (refreshes) flow = await refreshed(flow);
      const found = trapsIn(flow).filter((one) => one.recognized.provider.id === id && one.trap.id === trap);
      const findings = flow.steps.flatMap((step) => step.findings.map(({ rule }) => rule));
      expect(
        found.map(({ isCertain }) => isCertain),
        `${flow.fault?.code} ${flow.fault?.what} ${flow.fault?.quote}; ${findings.join(' ')}`,
      ).toEqual([!isPage]);
      const by = settings.knownProvider == null ? /^(?:paths|host)$/ : /^chosen$/;
      expect(found[0]?.recognized.by).toMatch(by);
    },
  );

  /** The flow that refreshes the token of a flow. */
  async function refreshed({ sessionId, serverId }: AuthorizationFlow): Promise<AuthorizationFlow> {
    const [credentials] = await engine.call('authorization/credentials', { serverId });
    const begun = await engine.call('authorization/refresh', {
      credentialsId: credentials?.id ?? '',
      sessionId,
    });
    return settledFlow(engine, begun);
  }
});
