import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { anOpenedTrace, aSession, aTraceFile } from '#fixtures/page/samples.ts';
import { useSessionBefore } from './session-before.ts';
import { useSessions } from './sessions.ts';
import { useTraces } from './traces.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const file = (name: string, minute: number, of: Partial<ReturnType<typeof aTraceFile>> = {}) =>
  aTraceFile({ path: `/${name}.mcptrace`, createdAt: noon + minute * 60_000, ...of });

test('is the newest recording of the server that began earlier, and can be read', () => {
  const session = aSession({
    id: 's3',
    serverName: 'notes',
    openedAt: noon + 30 * 60_000,
    traceFile: { path: '/own.mcptrace', fault: null },
  });
  const renamed = aSession({
    id: 's2',
    serverName: 'old name',
    traceFile: { path: '/renamed.mcptrace', fault: null },
  });
  useSessions.setState({ sessions: { s2: renamed, s3: session } });
  const others = [
    file('later', 40),
    // Its header is written a moment before the session is listed.
    file('own', 29, { sessionId: 's3' }),
    file('copy-of-own', 29),
    file('damaged', 28, {
      fault: { code: 'no-trace', what: 'It is not a trace.', next: 'Choose another file.' },
    }),
    file('other', 27, { server: 'billing' }),
  ];
  const before = (...files: ReturnType<typeof aTraceFile>[]) => {
    useTraces.setState({ files: [...others, ...files] });
    return renderHook(() => useSessionBefore('s3')).result.current;
  };
  expect(before()).toBeNull();
  const excerpt = file('excerpt', 4, { isExcerpt: true });
  expect(before(excerpt)).toBe('/excerpt.mcptrace');
  expect(before(excerpt, file('first', 1))).toBe('/first.mcptrace');
  expect(before(file('first', 1), file('second', 2))).toBe('/second.mcptrace');
  expect(before(file('first', 1), file('renamed', 3, { server: 'old name' }))).toBe('/renamed.mcptrace');
});

test('of an opened trace, is the one before it', () => {
  useTraces.setState({
    opened: { 'file-1': anOpenedTrace() },
    files: [file('before', -5), file('after', 5), file('other', -1, { server: 'billing' })],
  });
  expect(renderHook(() => useSessionBefore('file-1')).result.current).toBe('/before.mcptrace');
  expect(renderHook(() => useSessionBefore(null)).result.current).toBeNull();
});
