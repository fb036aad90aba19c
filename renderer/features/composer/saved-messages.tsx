import { useMemo, useState } from 'react';
import { create } from 'zustand';
import { call } from '#bridge';
import { addMessage, newMessageContext, type ComposerMessage, type Variables } from '#model/composer.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { useTestFilePath } from '#model/tests-pane.ts';
import { useAction, useQuery } from '#model/use-query.ts';
import { anyResult, plainCall, type SavedCall, type TestFile } from '#shared/contract/saved-calls.ts';
import { memberText } from '#shared/json/members.ts';
import { leafValue, nodeAt, treeOf } from '#shared/json/tree.ts';
import { indentedJson, isJson } from '#shared/json/tokens.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { TextField } from '#ui/field.tsx';
import { Popover } from '#ui/popover.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { MessageSection } from './message-section.tsx';

/** The test file of a server, whose calls are messages to compose from. */
export interface SavedMessages {
  readonly path: string;
  /** Null until it is read. */
  readonly file: TestFile | null;
  /** The variables that the file defines. */
  readonly variables: Variables;
  readonly reload: () => void;
}

/** How often the files were changed from here. */
const useVersion = create<{ readonly version: number }>()(() => ({ version: 0 }));

const noVariables: Variables = new Map();

export function useSavedMessages(serverId: string): SavedMessages {
  const [path] = useTestFilePath(serverId);
  const version = useVersion((state) => state.version);
  const { latest } = useQuery(`${path} ${version}`, () => call('saved-calls/read', { path }));
  const file = latest?.path === path ? latest : null;
  return useMemo(
    () => ({
      path,
      file,
      variables: file === null ? noVariables : new Map(Object.entries(file.variables)),
      reload: () => useVersion.setState((state) => ({ version: state.version + 1 })),
    }),
    [path, file],
  );
}

/** The calls of the test file; a click opens one as a message. */
export function SavedMessageList({
  session,
  search,
}: {
  readonly session: SessionStatus;
  readonly search: string;
}) {
  const { path, file } = useSavedMessages(session.serverId);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  // A test file may have steps that are no calls.
  const calls = (file?.calls ?? []).filter(({ kind }) => kind === undefined);
  const shown = calls.filter(({ name, method }) =>
    words.every((word) => `${name} ${method}`.toLowerCase().includes(word)),
  );
  return (
    <MessageSection
      title="Saved"
      label="Saved messages"
      count={calls.length}
      shown={shown.length}
      lines={shown.map((saved) => ({
        key: saved.name,
        onOpen: () => reportFault(open(session, saved)),
        children: <span className="truncate">{visibleLine(saved.name)}</span>,
      }))}
    >
      <p className="mono truncate px-3 text-xs text-faint" title={path}>
        {path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)}
      </p>
      {file !== null && file.errors.length > 0 && (
        <p className="px-3 text-sm text-err">The file has errors; the Tests pane shows them.</p>
      )}
      {file !== null && file.calls.length === 0 && file.errors.length === 0 && (
        <p className="px-3 text-sm text-faint">Requests that you save are listed here.</p>
      )}
    </MessageSection>
  );
}

/** Opens a saved call as a request with an unused id. */
async function open({ id, serverId }: SessionStatus, { name, method, tool, arguments: args }: SavedCall) {
  const { nextId, meta } = await newMessageContext(id, serverId);
  const own = method === 'tools/call' ? `{"name":${JSON.stringify(tool)},"arguments":${args}}` : args;
  const isEmpty = own.trim() === '{}' || own.trim() === '';
  const hasMeta = meta === null || memberText(own, ['_meta']) !== null;
  const params = hasMeta ? own : `{"_meta":${meta}${isEmpty ? '' : `,${own.trim().slice(1, -1)}`}}`;
  const ofParams = isEmpty && hasMeta ? '' : `,"params":${params}`;
  const text = `{"jsonrpc":"2.0","id":${nextId},"method":${JSON.stringify(method)}${ofParams}}`;
  addMessage(serverId, indentedJson(text) ?? text, { saved: name });
}

/** Saves the request in the editor to the test file, where `sightglass test` runs it too. */
export function SaveButton({
  message,
  saved,
}: {
  readonly message: ComposerMessage;
  readonly saved: SavedMessages;
}) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const request = useMemo(() => requestIn(message), [message]);
  const { path, file, reload } = saved;
  const index = file?.calls.findIndex((one) => one.name === name.trim()) ?? -1;
  const saving = useAction(async () => {
    if (request === null) return;
    const known = file?.calls[index];
    await call('saved-calls/save', {
      path,
      call: { ...plainCall, expect: anyResult, ...known, ...request, name: name.trim() },
      replaces: known === undefined ? null : { index, name: known.name },
    });
    reload();
    setOpen(false);
  });
  return (
    <Popover
      label="Save the message"
      open={isOpen}
      onOpenChange={(opens) => {
        if (opens) setName(message.saved ?? request?.tool ?? request?.method ?? '');
        saving.clearFault();
        setOpen(opens);
      }}
      align="end"
      className="w-80"
      trigger={
        <Button
          size="small"
          disabled={request === null}
          title={request === null ? 'Only requests with params as an object can be saved' : undefined}
        >
          Save
        </Button>
      }
    >
      <form
        onSubmit={(submit) => {
          submit.preventDefault();
          void saving.run();
        }}
      >
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          note={`Saved to ${path}. Variables such as \${city} take their values from that file.`}
        />
        {saving.fault !== null && <FaultCard fault={saving.fault} className="mt-2" />}
        <Button
          type="submit"
          variant="primary"
          className="mt-2"
          disabled={name.trim() === '' || saving.isRunning}
        >
          {index === -1 ? 'Save' : 'Replace'}
        </Button>
      </form>
    </Popover>
  );
}

/** The request of a message in the form of a saved call; null if it is none that can be saved. */
function requestIn({
  text,
  isRaw,
}: ComposerMessage): Pick<SavedCall, 'method' | 'tool' | 'arguments'> | null {
  if (isRaw || !isJson(text)) return null;
  const tree = treeOf(text);
  const method = leafValue(text, nodeAt(tree, ['method']));
  if (typeof method !== 'string' || nodeAt(tree, ['id']) === undefined) return null;
  const params = memberText(text, ['params']) ?? '{}';
  if (!isObject(JSON.parse(params))) return null;
  if (method !== 'tools/call') return { method, tool: null, arguments: params };
  const tool = leafValue(text, nodeAt(tree, ['params', 'name']));
  const args = memberText(text, ['params', 'arguments']) ?? '{}';
  return typeof tool === 'string' && isObject(JSON.parse(args)) ? { method, tool, arguments: args } : null;
}
