import { join } from 'node:path';
import { expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { filesIn, secretsOf } from '#fixtures/authorization/secrets-of.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import { exportFormats } from '#shared/contract/exports.ts';

const opened = closeAfterEachTest();

interface Case {
  readonly title: string;
  readonly server: ProtectedServerOptions;
  readonly settings?: Partial<AuthorizationSettings>;
}

const clientSecret = 'planted secret: ä+&%';

const cases: readonly Case[] = [
  { title: 'of a public client', server: {} },
  {
    title: 'of a client whose secret is in a header',
    server: {
      authorization: {
        clients: [
          { clientId: 'me', secret: clientSecret, redirectUris: [], authMethod: 'client_secret_basic' },
        ],
        metadata: { token_endpoint_auth_methods_supported: ['client_secret_basic'] },
      },
    },
    settings: { clientId: 'me', clientSecret: { isSet: true, value: clientSecret } },
  },
  {
    title: 'of a client whose secret is in the form, with JWTs as tokens',
    server: {
      authorization: {
        tokens: 'jwt',
        clients: [
          { clientId: 'me', secret: clientSecret, redirectUris: [], authMethod: 'client_secret_post' },
        ],
        metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
      },
    },
    settings: { clientId: 'me', clientSecret: { isSet: true, value: clientSecret } },
  },
  {
    title: 'with tokens bound to a key',
    server: { demandsNonce: true, authorization: { demandsNonce: true } },
    settings: { dpop: true },
  },
];

test.each(cases)(
  'no secret of a flow $title is written or shown',
  async ({ server: options, settings = {} }) => {
    const server = opened(await ProtectedServer.open({ toolScopes: { write: 'files:write' }, ...options }));
    const engine = opened(
      await EngineFixture.open({
        openInBrowser: async (url) => {
          await browse(url);
        },
      }),
    );
    const events: string[] = [];
    engine.engine.onEvent((frame) => events.push(JSON.stringify(frame)));
    const session = await engine.connectUrl(server.url, {
      http: { authorization: { ...defaultAuthorization, ...settings } },
    });
    expect(session.phase).toBe('ready');
    await engine.callTool(session.id, 'write', {});
    for (const token of server.authorization.tokens.all) if (token.kind === 'access') token.isRevoked = true;
    expect((await engine.callTool(session.id, 'echo', { text: 'x' })).state).toBe('ok');

    const shown = [
      ...events,
      JSON.stringify(await engine.rows(session.id)),
      JSON.stringify(await engine.call('authorization/flows', { sessionId: session.id })),
      JSON.stringify(await engine.call('authorization/credentials', { serverId: null })),
      JSON.stringify(await engine.call('sessions/list', {})),
    ];
    // The page knows what the user enters; nothing else does, nor the result of the server that repeats it.
    const used = server.authorization.tokens.all.findLast(({ kind }) => kind === 'access');
    expect((await engine.callTool(session.id, 'echo', { text: used?.value })).state).toBe('ok');
    shown.push(JSON.stringify(await engine.rows(session.id)));
    for (const format of exportFormats) {
      const path = join(engine.folder, `export.${format}`);
      const rows = { of: 'all' } as const;
      const redaction = { isOn: true, patterns: [] };
      await engine.call('exports/write', { sessionId: session.id, rows, format, redaction, path });
    }
    await engine.call('sessions/close', { sessionId: session.id });
    const texts = [...shown, ...(await filesIn(engine.folder))];
    const secrets = secretsOf(server);
    expect(secrets.size).toBeGreaterThan(5);
    for (const secret of secrets) {
      for (const text of texts)
        expect(text.includes(secret), `${secret} in ${around(text, secret)}`).toBe(false);
    }
  },
);

const around = (text: string, secret: string): string => {
  const at = text.indexOf(secret);
  return text.slice(Math.max(0, at - 100), at + secret.length + 50);
};
