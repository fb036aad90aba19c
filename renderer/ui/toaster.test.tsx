import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

// The notices and the listeners of the library belong to the page, so each test has a page of its own.
const freshPage = () => import('./toaster.tsx');
let frames: FrameRequestCallback[] = [];
let stacks = 0;

beforeEach(() => {
  frames = [];
  stacks = 0;
  vi.resetModules();
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => frames.push(run));
  vi.doMock('./toast-stack.tsx', async (original) => {
    stacks++;
    return original();
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.doUnmock('./toast-stack.tsx');
});

/** Lets a frame begin; when it has been painted, no one tells. */
const nextFrame = () =>
  act(async () => {
    for (const run of frames.splice(0)) run(performance.now());
  });

test('the stack of notices is fetched only after the first picture was painted', async () => {
  const { Toaster } = await freshPage();
  render(<Toaster />);
  await act(async () => undefined);
  expect(stacks).toBe(0);
  await nextFrame();
  expect(stacks).toBe(0);
  await vi.waitFor(() => expect(stacks).toBe(1), { timeout: 20_000 });
});

test('a notice raised before the stack is there is shown when it is', async () => {
  const { Toaster, toastFault, toastNote } = await freshPage();
  toastNote('Copied before anything was drawn');
  render(<Toaster />);
  toastFault({ code: 'torn', what: 'The settings cannot be read', next: 'Delete them' });
  expect(screen.queryByText('The settings cannot be read')).toBeNull();
  await nextFrame();
  expect(await screen.findByText('The settings cannot be read', {}, { timeout: 20_000 })).not.toBeNull();
  expect(screen.getByText('Delete them')).not.toBeNull();
  expect(screen.getByText('Copied before anything was drawn')).not.toBeNull();
});

test('a window whose engine has ended loads no toasts and reports no error of its own', async () => {
  let attempts = 0;
  vi.doMock('./toast-stack.tsx', () => {
    attempts++;
    throw new Error('Failed to fetch dynamically imported module');
  });
  const { Toaster } = await freshPage();
  const { container } = render(<Toaster />);
  await nextFrame();
  await vi.waitFor(() => expect(attempts).toBe(1), { timeout: 20_000 });
  await act(async () => undefined);
  expect(container.innerHTML).toBe('');
});
