import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach } from 'vitest';
import { useApprovals, useServers } from '#model/servers.ts';
import { useAttempts } from '#model/connection.ts';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { type Answers, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession } from '#model/testing/samples.ts';
import type { Server, ServerSettings } from '#shared/contract/servers.ts';
import { useDrafts } from '../unsaved-drafts.ts';
import { ServerEditor } from '../editor/server-editor.tsx';

/** Starts every test of the file with an empty window. */
export function beginEmpty(): void {
  beforeEach(() => {
    useDrafts.setState({ drafts: {} });
    useServers.setState({ servers: [] });
    useApprovals.setState({ approvals: [] });
    useSessions.setState({ sessions: {} });
    useAttempts.setState({}, true);
    useSelection.setState({ serverId: null, editor: null });
  });
  afterEach(cleanup);
}

/** Shows the form for a server, or for a new one, with an engine that saves any settings. */
export function showForm(server: Server | null = null, answers: Answers = {}) {
  let last: ServerSettings | undefined;
  const engine = fakeEngine({
    'servers/save': ({ id, settings }) => {
      last = settings;
      return { ...settings, id: id ?? 'new-id', source: 'user' };
    },
    'sessions/open': ({ serverId }) => ({ outcome: 'opened', session: aSession({ serverId }) }),
    'servers/reveal': ({ name }) => ({ value: `the value of ${name}` }),
    ...answers,
  });
  if (server) useServers.setState({ servers: [server] });
  const { unmount } = render(<ServerEditor editor={{ serverId: server?.id ?? null }} />);
  /** The last saved settings. */
  const saved = () => last;
  return { engine, saved, unmount, user: userEvent.setup() };
}

export const commandLine = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Command line' });
export const url = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'URL' });
export const chooseKind = (name: 'Command (stdio)' | 'URL (HTTP)') =>
  userEvent.click(screen.getByRole('radio', { name }));

/** Replaces the URL by pasting. */
export async function writeUrl(text: string): Promise<void> {
  await userEvent.clear(url());
  await userEvent.click(url());
  await userEvent.paste(text);
}

/** Saves without connecting. */
export const save = () => userEvent.click(screen.getByRole('button', { name: /^Save(?! and)/ }));

/** The hint, note and error of a field. */
export const saidOf = (field: HTMLElement): string =>
  (field.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent)
    .join(' ');
