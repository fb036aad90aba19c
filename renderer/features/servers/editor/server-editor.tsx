import { useEffect, useMemo, useRef, useState } from 'react';
import { call } from '#bridge';
import { useAppInfo } from '#model/app-info.ts';
import { useCommands, useShortcut } from '#model/commands.ts';
import { connect, forgetAttempt } from '#model/connection.ts';
import { closeEditor, openEditor, type OpenEditor, selectServer } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { isOpen, latestSession, useSessions } from '#model/sessions.ts';
import { offerUndo } from '#model/undo.ts';
import { useAction } from '#model/use-query.ts';
import type { ServerSettings } from '#shared/contract/servers.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { FormHeader } from '#ui/form-header.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { visibleLine } from '#ui/visible.ts';
import { ApprovalList } from './approval-list.tsx';
import { CommandLineField, EnvironmentFields, WorkingFolderField } from './stdio-fields.tsx';
import type { DraftErrors, DraftOptions } from '../draft/draft-part.ts';
import { type Draft, draftOf, emptyDraft, parseDraft, suggestedName } from '../draft/draft.ts';
import type { HttpDraft, StdioDraft } from '../draft/transport-draft.ts';
import {
  AuthorizationSection,
  HeaderFields,
  ProxyField,
  TransportField,
  TlsFields,
  UrlField,
} from './http-fields.tsx';
import {
  KeepAliveFields,
  EraField,
  RevisionField,
  NameField,
  NotesField,
  StartField,
  TimeoutFields,
} from './general-fields.tsx';
import { ClientFields } from './client-fields.tsx';
import { VariableFields } from './variable-fields.tsx';
import { draftKey, dropDraft, keepDraft, useDrafts } from '../unsaved-drafts.ts';

const shortcuts = { save: 'Mod+S', saveAndConnect: 'Mod+Enter' } as const;

const kinds: readonly { readonly id: Draft['kind']; readonly label: string }[] = [
  { id: 'stdio', label: 'Command (stdio)' },
  { id: 'http', label: 'URL (HTTP)' },
];

/** Drops what was not saved, which can be undone. */
function discard({ serverId, part }: OpenEditor, draft: Draft): void {
  const key = draftKey(serverId);
  dropDraft(key);
  offerUndo('Discarded the changes to a server', () => {
    keepDraft(key, draft);
    openEditor(serverId, part);
  });
}

/** Adds or edits a server. It replaces the pane only, so the trace stays visible. */
export function ServerEditor({ editor }: { readonly editor: OpenEditor }) {
  const server = useServers(({ servers }) => servers.find(({ id }) => id === editor.serverId) ?? null);
  const isRunning = useSessions(({ sessions }) => {
    const session = latestSession(sessions, editor.serverId);
    return session !== null && isOpen(session);
  });
  const key = draftKey(editor.serverId);
  const isWindows = useAppInfo(({ info }) => info?.platform === 'win32');
  const options = useMemo(() => ({ isWindows }), [isWindows]);
  const kept = useDrafts(({ drafts }) => drafts[key]);
  // Once per server, so that its rows keep their keys and the focus.
  const saved = useMemo(() => (server ? draftOf(server, options) : emptyDraft()), [server, options]);
  const draft = kept ?? saved;
  const [errors, setErrors] = useState<DraftErrors>({});
  const afterPointerUp = useAfterPointerUp();
  const form = useRef<HTMLFormElement>(null);
  const [rejectedSaves, setRejectedSaves] = useState(0);
  // The field that prevents saving may be scrolled out of view.
  useEffect(() => {
    if (rejectedSaves > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [rejectedSaves]);

  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    keepDraft(key, next);
    // Errors on screen are updated with every key; new ones appear on blur.
    const now = errorsOf(next, options);
    setErrors((shown) => Object.fromEntries(Object.entries(now).filter(([field]) => field in shown)));
  };
  const validate = (field: string) =>
    afterPointerUp(() => {
      const error = errorsOf(useDrafts.getState().drafts[key] ?? saved, options)[field];
      setErrors(({ [field]: _, ...others }) =>
        error === undefined ? others : { ...others, [field]: error },
      );
    });
  const saving = useAction(async (settings: ServerSettings, andConnect: boolean) => {
    const { id } = await call('servers/save', { id: editor.serverId, settings });
    dropDraft(key);
    forgetAttempt(id);
    selectServer(id);
    if (andConnect) await connect(id);
  });
  const save = (andConnect: boolean) => {
    if (saving.isRunning) return;
    const read = parseDraft(draft, options);
    if ('errors' in read) {
      setErrors(read.errors);
      setRejectedSaves(rejectedSaves + 1);
    } else void saving.run(read.settings, andConnect);
  };
  // Their keys work where the form has the focus, which it takes when it opens.
  useCommands([
    {
      id: 'server.save',
      title: 'Save the server',
      group: 'Servers',
      shortcut: shortcuts.save,
      within: () => form.current,
      run: () => save(false),
    },
    {
      id: 'server.save-and-connect',
      title: 'Save the server and connect',
      group: 'Servers',
      shortcut: shortcuts.saveAndConnect,
      within: () => form.current,
      run: () => save(true),
    },
  ]);
  const saveKeys = useShortcut('server.save', shortcuts.save);
  const connectKeys = useShortcut('server.save-and-connect', shortcuts.saveAndConnect);
  const field = { draft, errors, change, validate };
  const stdio = {
    ...field,
    draft: draft.stdio,
    change: (part: Partial<StdioDraft>) => change({ stdio: { ...draft.stdio, ...part } }),
  };
  const http = {
    ...field,
    draft: draft.http,
    change: (part: Partial<HttpDraft>) => change({ http: { ...draft.http, ...part } }),
  };
  const takeUrl = (url: string) =>
    change({ kind: 'http', http: { ...draft.http, url }, stdio: { ...draft.stdio, commandLine: '' } });
  const takeCommandLine = (commandLine: string) =>
    change({ kind: 'stdio', stdio: { ...draft.stdio, commandLine }, http: { ...draft.http, url: '' } });

  return (
    <form
      ref={form}
      aria-label={server ? `Settings of ${server.name}` : 'Add a server'}
      noValidate
      data-is-edited={(kept !== undefined && isEdited(kept, saved)) || undefined}
      tabIndex={-1}
      className="flex h-full min-h-0 flex-col outline-none"
      onSubmit={(submit) => {
        submit.preventDefault();
        save(true);
      }}
      onKeyDown={(press) => {
        if (press.key !== 'Escape' || press.defaultPrevented) return;
        closeEditor();
        press.preventDefault();
      }}
    >
      <FormHeader
        title={server ? `Settings of ${visibleLine(server.name)}` : 'Add a server'}
        beside={
          <>
            {kept && server && <span className="text-xs text-warn">unsaved</span>}
            {isRunning && (
              <span className="min-w-0 truncate text-xs text-faint">changes apply on the next connect</span>
            )}
          </>
        }
      >
        <Button
          variant="quiet"
          size="small"
          onClick={() => {
            if (kept !== undefined) discard(editor, kept);
            closeEditor();
          }}
        >
          {kept ? 'Discard' : 'Close'}
        </Button>
        <Button size="small" shortcut={saveKeys} disabled={saving.isRunning} onClick={() => save(false)}>
          Save
        </Button>
        <Button
          type="submit"
          variant="primary"
          size="small"
          shortcut={connectKeys}
          disabled={saving.isRunning}
        >
          Save and connect
        </Button>
      </FormHeader>
      <div className="hides-when-collapsed min-h-0 flex-1 overflow-auto">
        <div className="grid max-w-[1180px] gap-x-8 gap-y-3.5 px-4 py-3.5 @container lg:grid-cols-2">
          {saving.fault && <FaultCard fault={saving.fault} className="lg:col-span-2" />}
          <div className="flex min-w-0 flex-col gap-3.5">
            <Segmented
              label="Kind of transport"
              className="self-start"
              value={draft.kind}
              onChange={(kind) => change({ kind })}
              options={kinds}
            />
            {draft.kind === 'stdio' ? (
              <CommandLineField {...stdio} isWindows={isWindows} onUrl={takeUrl} />
            ) : (
              <>
                <UrlField {...http} serverId={editor.serverId} onCommandLine={takeCommandLine} />
                <TransportField {...http} />
              </>
            )}
            <NameField {...field} suggestion={suggestedName(draft, options)} />
            {draft.kind === 'stdio' ? (
              <WorkingFolderField {...stdio} isWindows={isWindows} />
            ) : (
              <>
                <ProxyField {...http} />
                <AuthorizationSection draft={http.draft} change={http.change} serverId={editor.serverId} />
                <TlsFields {...http} isWanted={editor.part === 'certificate'} />
              </>
            )}
            <VariableFields draft={draft} change={change} />
            <StartField draft={draft} change={change} />
            <NotesField {...field} />
          </div>
          <div className="flex min-w-0 flex-col gap-3.5">
            {draft.kind === 'stdio' ? (
              <EnvironmentFields {...stdio} serverId={editor.serverId} />
            ) : (
              <HeaderFields {...http} serverId={editor.serverId} />
            )}
            <ApprovalList serverId={editor.serverId} />
            <div className="grid grid-cols-2 items-start gap-3">
              <EraField {...field} />
              <RevisionField {...field} />
            </div>
            <TimeoutFields {...field} />
            <KeepAliveFields {...field} />
          </div>
          <div className="min-w-0 lg:col-span-2">
            <ClientFields {...field} isWanted={editor.part === 'client'} />
          </div>
        </div>
      </div>
    </form>
  );
}

/** Whether something else than the kind of transport was changed. */
function isEdited(draft: Draft, saved: Draft): boolean {
  return JSON.stringify({ ...draft, kind: saved.kind }) !== JSON.stringify(saved);
}

function errorsOf(draft: Draft, options: DraftOptions): DraftErrors {
  const read = parseDraft(draft, options);
  return 'errors' in read ? read.errors : {};
}

/**
 * Returns a function that runs a callback now or, while the pointer is down, after it is released. Otherwise an error
 * that appears on blur would move the button being clicked away from under the pointer.
 */
export function useAfterPointerUp(): (run: () => void) => void {
  const press = useRef({ isDown: false, waiting: [] as (() => void)[] });
  useEffect(() => {
    const now = press.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const down = () => {
      now.isDown = true;
    };
    const up = () => {
      now.isDown = false;
      // The click event follows in the same task.
      timer = setTimeout(() => {
        for (const run of now.waiting.splice(0)) run();
      });
    };
    addEventListener('pointerdown', down, true);
    addEventListener('pointerup', up, true);
    addEventListener('pointercancel', up, true);
    return () => {
      clearTimeout(timer);
      now.waiting.length = 0;
      removeEventListener('pointerdown', down, true);
      removeEventListener('pointerup', up, true);
      removeEventListener('pointercancel', up, true);
    };
  }, []);
  return (run) => {
    if (press.current.isDown) press.current.waiting.push(run);
    else run();
  };
}
