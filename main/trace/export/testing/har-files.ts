import { createRequire } from 'node:module';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import type { Redaction } from '#shared/contract/exports.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { exportHandlers } from '#trace/export/handlers.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { HttpRecording } from '#trace/testing/http-recording.ts';
import { TraceFeed } from '#trace/trace-feed.ts';

const nameValues = z.array(z.object({ name: z.string(), value: z.string() }));

/** What the tests look at in a HAR. */
export const harSchema = z.object({
  log: z.object({
    version: z.string(),
    entries: z.array(
      z.object({
        startedDateTime: z.string(),
        time: z.number(),
        request: z.object({
          method: z.string(),
          url: z.string(),
          headers: nameValues,
          cookies: nameValues,
          queryString: nameValues,
          postData: z.object({ mimeType: z.string(), text: z.string() }).optional(),
        }),
        response: z.object({
          status: z.number(),
          headers: nameValues,
          cookies: z.array(z.looseObject({ name: z.string(), value: z.string() })),
          redirectURL: z.string(),
          content: z.object({ size: z.number(), mimeType: z.string(), text: z.string().optional() }),
        }),
        timings: z.record(z.string(), z.number()),
        serverIPAddress: z.string().optional(),
        _sse: z.array(z.record(z.string(), z.unknown())).optional(),
        _error: z.string().optional(),
      }),
    ),
  }),
});
export type Har = z.infer<typeof harSchema>;

/** They are of an older draft of JSON Schema, which means the same here. */
const schemasSchema = z.record(z.string(), z.record(z.string(), z.unknown()));

/** What the schema of HAR 1.2 has against a file; empty when it is one. */
export function complaintsAbout(har: unknown): string[] {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const schemas = schemasSchema.parse(createRequire(import.meta.url)('har-schema'));
  for (const { $schema: _, ...schema } of Object.values(schemas)) ajv.addSchema(schema);
  ajv.validate('har.json#', har);
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The HAR of a trace, as text. */
export async function harTextOf(
  trace: ReadableTrace,
  rows: RowChoice = { of: 'all' },
  redaction: Redaction = { isOn: true, patterns: [] },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-har-'));
  try {
    const handlers = exportHandlers(new TraceFeed('s', trace, () => {}));
    const path = join(folder, 'out.har');
    await handlers['exports/write']({ sessionId: 's', rows, format: 'har', redaction, path });
    return await readFile(path, 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A session with an exchange of every sort: an answer, a stream, a page, a failure, one without an end. */
export function recordSorts(recording: HttpRecording): void {
  const json: [string, string] = ['Content-Type', 'application/json'];
  const posted = recording.request({
    url: 'http://127.0.0.1:3000/mcp?mode=a%20b&access_token=abcdefgh12345678&x',
    headers: [json, ['Cookie', 'theme=dark; sid=0123456789abcdef']],
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  recording.connected(posted);
  recording.response(posted, 103, { interim: true });
  recording.response(posted, 200, {
    reason: 'OK',
    headers: [json, ['Set-Cookie', 'a=b; Path=/x; Secure; HttpOnly'], ['X-Twice', '1'], ['x-twice', '2']],
  });
  recording.body(posted, '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}');
  recording.end(posted, 'complete', { size: 46 });

  const streamed = recording.request({ method: 'GET', url: 'http://127.0.0.1:3000/mcp' });
  recording.connected(streamed);
  recording.response(streamed, 200, { headers: [['Content-Type', 'text/event-stream']] });
  recording.stream(
    streamed,
    ': hello\n\nid: 7\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: "method":"x"}\n\n',
  );
  recording.stream(streamed, 'retry: 10\ndata: {"jsonrpc":"2.0","method":"é"}\r\n\r\n');
  recording.end(streamed, 'dropped');

  const page = recording.request({ method: 'GET' });
  recording.response(page, 302, {
    headers: [
      ['Location', '/login'],
      ['Content-Type', 'text/html'],
    ],
  });
  recording.body(page, '<html>"\u2028 </html>', 'body');
  recording.end(page, 'complete', { size: 20 });

  const failed = recording.request({ body: '{"jsonrpc":"2.0","id":2,"method":"ping"}' });
  const failure = { step: 'connect' as const, code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' };
  recording.end(failed, 'failed', { failure });

  recording.request({ url: 'https://user:pass word@[::1]:8443/a[b]?q="{}"' });
}
