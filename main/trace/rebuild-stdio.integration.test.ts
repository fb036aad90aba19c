import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

const wire = fileURLToPath(new URL('../../docs/trace-format.md', import.meta.url));

let engine: EngineFixture;
let folder: string;
beforeEach(async () => {
  engine = await EngineFixture.open();
  folder = await mkdtemp(join(tmpdir(), 'sightglass-rebuild-'));
});
afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

/** Prints what a server should not, and copies all that it reads and prints to files of its own. */
function copyingServer() {
  const { command, args } = scriptedServer(`
    'notifications/print'() {
      process.stdout.write(Buffer.from([0x7b, 0xff, 0x0a]));
      process.stdout.write('\\r\\n\\n  \\n{"jsonrpc":"2.0","method":"x"}\\r\\n');
      process.stdout.write('"' + '\\u20ac'.repeat(1_000_000) + '"\\n');
      process.stderr.write('Password: ');
      process.stdout.write('{"half":"\\u20ac');
      setTimeout(() => {
        process.stderr.write('none\\nlast \\u00e9');
        process.stdout.write('"}\\n');
      }, 300);
    },
    'notifications/leave'() { process.stdout.write('no newline', () => process.exit(0)); },
  `);
  const copies = `
    const copy = (name, bytes) => require('node:fs').appendFileSync(${JSON.stringify(folder)} + '/' + name, bytes);
    for (const name of ['stdout', 'stderr']) {
      const write = process[name].write;
      process[name].write = (bytes, then) => {
        copy(name, bytes);
        return write.call(process[name], bytes, then);
      };
    }
    process.stdin.on('data', (bytes) => copy('stdin', bytes));
  `;
  return { command, args: ['-e', copies + (args[1] ?? '')] };
}

const digest = (bytes: Buffer) => [bytes.length, createHash('sha256').update(bytes).digest('hex')];

test('stdio is rebuilt from a trace byte for byte by the script of docs/trace-format.md', async () => {
  const script = /```js\n(\/\/ node rebuild-stdio[^]*?)```/.exec(await readFile(wire, 'utf8'))?.[1] ?? '';
  const program = join(folder, 'rebuild-stdio.mjs');
  await writeFile(program, script);
  const { id } = await engine.connect(copyingServer());
  await engine.send(id, '{"jsonrpc":"2.0","method":"notifications/print"}');
  await engine.row(id, ({ kind, size }) => kind === 'stderr' && size === 7);
  await engine.send(id, '{"jsonrpc":"2.0","method":"notifications/leave"}');
  await engine.settled(id, ['closed', 'failed']);
  const { traceFile } = await engine.session(id);
  for (const stream of ['stdout', 'stderr', 'stdin']) {
    const { stdout } = await promisify(execFile)(process.execPath, [program, traceFile.path, stream], {
      encoding: 'buffer',
      maxBuffer: 64 * 1024 * 1024,
    });
    const original = await readFile(join(folder, stream));
    expect(original.length).toBeGreaterThan(10);
    expect([stream, ...digest(stdout)]).toEqual([stream, ...digest(original)]);
  }
});
