import { expect, test, vi } from 'vitest';
import type { Engine } from '#main/platform.ts';
import type { EventFrame } from '#shared/contract/index.ts';

/** Stands in for Electron, which does not run in unit tests: the pages that are open. */
const pages: object[] = [];
vi.mock('electron', () => ({ ipcMain: {}, webContents: { getAllWebContents: () => pages } }));
const { isOwnMainFrame, sendEvents } = await import('./ipc.ts');

const frame = (origin: string, parent: object | null = null) =>
  ({ origin, parent }) as Parameters<typeof isOwnMainFrame>[0];

/** As Electron does once the frame's page crashed or was replaced. */
const disposed = {
  get parent(): never {
    throw new Error('Render frame was disposed before WebFrameMain could be accessed');
  },
} as unknown as Parameters<typeof isOwnMainFrame>[0];

test.each([
  ['the page of the app', frame('app://sightglass'), true],
  ['a page of another origin', frame('https://evil.example'), false],
  ['a frame inside the page', frame('app://sightglass', {}), false],
  ['a frame that left', null, false],
  ['a frame that was disposed of', disposed, false],
] as const)('speaks to %s: %#', (_, sender, isTrusted) => {
  expect(isOwnMainFrame(sender)).toBe(isTrusted);
});

test('a page that crashed or is being replaced keeps no event from the other pages', () => {
  const got: unknown[] = [];
  const page = (mainFrame: unknown) => ({
    isDestroyed: () => false,
    mainFrame,
    send: (_: string, event: unknown) => got.push(event),
  });
  const throwing = {
    ...page(null),
    get mainFrame(): never {
      throw new Error('Render frame was disposed before WebFrameMain could be accessed');
    },
  };
  pages.push(page(disposed), throwing, page(frame('app://sightglass')), page(frame('https://evil.example')));
  const listeners: ((frame: EventFrame) => void)[] = [];
  const engine = { onEvent: (listener: (frame: EventFrame) => void) => listeners.push(listener) };
  sendEvents(engine as unknown as Engine);
  const event = { event: 'servers/changed', payload: [] } as const;
  for (const listener of listeners) listener(event);
  expect(got).toEqual([event]);
});
