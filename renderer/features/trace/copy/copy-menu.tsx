import { Ellipsis } from 'lucide-react';
import { useMemo } from 'react';
import { call } from '#bridge';
import { useCommands } from '#model/commands.ts';
import { useTraces } from '#model/traces.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { RowDetail, ExchangeDetail } from '#shared/contract/trace.ts';
import { messageKinds, type RowKind, type TraceRow } from '#shared/trace/row.ts';
import { IconButton } from '#ui/button.tsx';
import { copyText } from '#ui/clipboard.ts';
import { Menu, type MenuEntry } from '#ui/menu.tsx';
import { prettyJson } from '#ui/pretty-json.ts';
import { reportFault, toastNote } from '#ui/toaster.tsx';
import { cliCommand, curlCommand, MAX_BODY_LENGTH } from './shell-commands.ts';
import { unitText, wholeText } from './copy-rows.ts';

/** Copies the row in several formats, by a menu and by commands. */
export function CopyMenu({ sessionId, detail }: { readonly sessionId: string; readonly detail: RowDetail }) {
  const formats = useMemo(() => formatsOf(detail.row), [detail]);
  useCommands(
    useMemo(
      () =>
        formats.map((format) => ({
          id: `trace.copy-${format.id}`,
          title: format.title,
          group: 'Trace' as const,
          keywords: ['clipboard'],
          run: () => reportFault(copyAs(format, sessionId, detail)),
        })),
      [formats, sessionId, detail],
    ),
  );
  if (formats.length === 0) return null;
  return (
    <Menu
      trigger={
        <IconButton label="Copy as…" size="small">
          <Ellipsis aria-hidden className="size-3.5" />
        </IconButton>
      }
      entries={formats.map((format) => ({
        label: format.label,
        onSelect: () => reportFault(copyAs(format, sessionId, detail)),
      }))}
    />
  );
}

/** A format in which a row can be copied. */
interface CopyFormat {
  readonly id: string;
  readonly label: string;
  /** The title in the command palette. */
  readonly title: string;
  readonly isAvailable: (row: TraceRow) => boolean;
  readonly make: (sessionId: string, detail: RowDetail) => Promise<string>;
}

/** Kinds of rows without text. */
const textless: ReadonlySet<RowKind> = new Set([
  'http',
  'process',
  'phase',
  'switches',
  'authorization',
  'definitions',
] as const);
const hasText = ({ kind }: TraceRow): boolean => !textless.has(kind);
const isMessage = ({ kind }: TraceRow): boolean => messageKinds.has(kind);
/** A request of the client, or its response. */
const isOurCall = ({ kind, direction, pair }: TraceRow): boolean =>
  kind === 'request' ? direction === 'out' : isResponse(kind) && direction === 'in' && pair !== null;
const isResponse = (kind: RowKind): boolean => kind === 'result' || kind === 'error';

const copyFormats: readonly CopyFormat[] = [
  {
    id: 'json',
    label: 'Copy as JSON',
    title: 'Copy the message as pretty-printed JSON',
    isAvailable: isMessage,
    make: async (sessionId, detail) => {
      const text = await wholeText(sessionId, detail);
      return (
        prettyJson(text)
          ?.map((piece) => piece.text)
          .join('') ?? text
      );
    },
  },
  {
    id: 'line',
    label: 'Copy as it was sent',
    title: 'Copy the message as it was sent',
    isAvailable: hasText,
    make: wholeText,
  },
  {
    id: 'curl',
    label: 'Copy as curl command',
    title: 'Copy the HTTP request as a curl command',
    isAvailable: ({ exchange }) => exchange !== null,
    make: async (sessionId, { exchange }) => {
      if (exchange === null) throw new Error('there is no exchange');
      const command = curlCommand(exchange, await bodyOf(sessionId, exchange));
      if (command !== null) return command;
      throw new FaultError({
        code: 'no-command',
        what: 'This exchange cannot be written as a curl command.',
        why: 'Its recorded address does not begin with http:// or https://.',
        next: 'Copy the message as JSON instead.',
      });
    },
  },
  {
    id: 'cli',
    label: 'Copy as sightglass command',
    title: 'Copy the call as a sightglass command',
    isAvailable: isOurCall,
    make: makeCliCommand,
  },
];

/** The formats in which a row can be copied. */
const formatsOf = (row: TraceRow): readonly CopyFormat[] =>
  copyFormats.filter(({ isAvailable }) => isAvailable(row));

/** The entries of a menu that copies a row. */
export const copyEntries = (sessionId: string, row: TraceRow): readonly MenuEntry[] =>
  formatsOf(row).map((format) => ({
    label: format.label,
    onSelect: () =>
      reportFault(
        call('trace/detail', { sessionId, row: row.row }).then((detail) => copyAs(format, sessionId, detail)),
      ),
  }));

/** Copies a row in this format, and notes missing secrets. @throws FaultError */
async function copyAs(format: CopyFormat, sessionId: string, detail: RowDetail): Promise<void> {
  const text = await format.make(sessionId, detail);
  if (!(await copyText(text))) {
    throw new FaultError({ code: 'not-copied', what: 'The browser denied access to the clipboard.' });
  }
  toastNote(
    text.includes('[secret ')
      ? 'Copied. Secrets are not recorded: replace [secret …] with their values.'
      : 'Copied.',
  );
}

async function bodyOf(sessionId: string, { request, carried }: ExchangeDetail): Promise<string | null> {
  if (request.bodySize === 0) return null;
  const sent = carried.find(({ direction }) => direction === 'out');
  return sent === undefined ? null : unitText(sessionId, sent.row, MAX_BODY_LENGTH);
}

async function makeCliCommand(sessionId: string, detail: RowDetail): Promise<string> {
  const { row, pair } = detail;
  const request =
    row.kind === 'request' || pair === null
      ? detail
      : await call('trace/detail', { sessionId, row: pair.row });
  const { server } = await call('trace/summary', { sessionId });
  const sent = await wholeText(sessionId, request);
  const headers = request.exchange?.request.headers ?? [];
  const authorization = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? null;
  const isFromFile = useTraces.getState().opened[sessionId] !== undefined;
  const command = cliCommand(sent, server, authorization, isFromFile);
  if (command !== null) return command;
  throw new FaultError({
    code: 'no-command',
    what: `No command can send ${request.row.method ?? 'this'}.`,
    why: 'The session sends it automatically, or it cannot be written on a command line.',
    next: 'Copy it as JSON instead.',
  });
}
