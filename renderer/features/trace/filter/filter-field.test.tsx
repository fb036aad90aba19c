import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useRef, useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FrameSignal } from '#ui/frame-signal.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { FilterChips, FilterMenu } from './filter-menu.tsx';
import { FilterField } from './filter-field.tsx';
import { filterErrorOf } from './filter-text.tsx';

beforeEach(() => {
  fakeEngine({
    'trace/vocabulary': () => ({
      methods: ['tools/call', 'notifications/progress'],
      tools: ['echo', 'slow one'],
      names: [],
      loggers: [],
      rules: [],
    }),
  });
});
afterEach(cleanup);

const onLeave = vi.fn<() => void>();
beforeEach(() => onLeave.mockReset());

const uncounted = { signal: new FrameSignal(), counts: null };

function Bar({ initially = '' }: { readonly initially?: string }) {
  const [text, setText] = useState(initially);
  const ref = useRef<HTMLInputElement>(null);
  return (
    <>
      <FilterField
        sessionId="s1"
        text={text}
        error={filterErrorOf(text)}
        onChange={setText}
        onLeave={onLeave}
        ref={ref}
      />
      <FilterChips view={uncounted} text={text} onChange={setText} />
    </>
  );
}

const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Filter the trace' });
const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);

describe('completion', () => {
  test('offers fields, then the values that the trace has, and puts in what is chosen by key', async () => {
    render(<Bar />);
    await userEvent.type(field(), 'meth');
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(field().value).toBe('method:');
    await expect.poll(() => options().join()).toContain('tools/call');
    await userEvent.keyboard('not{ArrowDown}{Tab}');
    expect(field().value).toBe('method:notifications/progress');
    expect(onLeave).not.toHaveBeenCalled();
  });

  test('Tab accepts the first suggestion for what was begun, and otherwise leaves the field', async () => {
    render(<Bar />);
    await userEvent.type(field(), 'ki');
    await userEvent.tab();
    expect(field().value).toBe('kind:');
    expect(document.activeElement).toBe(field());
    await userEvent.keyboard('std');
    await userEvent.tab();
    expect(field().value).toBe('kind:stderr');
    expect(document.activeElement).toBe(field());
    await userEvent.keyboard(' ');
    expect(options().length).toBeGreaterThan(0);
    await userEvent.tab();
    expect(field().value).toBe('kind:stderr ');
    expect(document.activeElement).not.toBe(field());
  });

  test('Shift+Tab never accepts a suggestion', async () => {
    render(<Bar />);
    await userEvent.type(field(), 'ki');
    await userEvent.tab({ shift: true });
    expect(field().value).toBe('ki');
    expect(document.activeElement).not.toBe(field());
  });

  test('a value with a space is put in quotes', async () => {
    render(<Bar />);
    await userEvent.click(field());
    await userEvent.type(field(), 'tool:sl');
    await userEvent.click(await screen.findByRole('option', { name: /slow one/ }));
    expect(field().value).toBe('tool:"slow one"');
  });

  test('Enter without a choice goes on to the rows; Escape closes, then clears, then leaves', async () => {
    render(<Bar />);
    await userEvent.type(field(), 'dir');
    expect(options().length).toBeGreaterThan(0);
    await userEvent.keyboard('{Escape}');
    expect(options()).toEqual([]);
    expect(field().value).toBe('dir');
    await userEvent.keyboard('{Escape}');
    expect(field().value).toBe('');
    await userEvent.keyboard('{Escape}');
    expect(onLeave).toHaveBeenCalledTimes(1);
    await userEvent.type(field(), 'echo{Enter}');
    expect(onLeave).toHaveBeenCalledTimes(2);
  });
});

test('an unreadable part is marked in place and explained', async () => {
  render(<Bar initially="echo colour:red" />);
  expect(field().getAttribute('aria-invalid')).toBe('true');
  expect((await screen.findByRole('status')).textContent).toContain('There is no field colour.');
  const marked = [...document.querySelectorAll('.decoration-wavy')].map(({ textContent }) => textContent);
  expect(marked.join('')).toContain('colour');
  expect(marked.join('')).not.toContain('echo');
});

test('the colours show the very text, also the spaces', () => {
  render(<Bar initially="  method:tools/call   or -echo " />);
  expect(document.querySelector('[aria-hidden] span')?.parentElement?.textContent).toBe(
    '  method:tools/call   or -echo ',
  );
});

test('where the text is scrolled to is read when the text changes, not at each render', async () => {
  const read = vi.spyOn(HTMLInputElement.prototype, 'scrollLeft', 'get');
  const { rerender } = render(<Bar initially="echo" />);
  read.mockClear();
  for (let time = 0; time < 3; time++) rerender(<Bar initially="echo" />);
  expect(read).not.toHaveBeenCalled();
  await userEvent.type(field(), '!');
  expect(read).toHaveBeenCalled();
  read.mockRestore();
});

test('the field keeps its width until the press that leaves it is over, so that what is pressed stays in place', async () => {
  render(<Bar initially="echo" />);
  const isGrown = () => field().parentElement?.classList.contains('min-w-[240px]');
  await userEvent.click(field());
  const errors = screen.getByRole('button', { name: 'Errors' });
  const mouse = userEvent.setup();
  await mouse.pointer({ target: errors, keys: '[MouseLeft>]' });
  expect(document.activeElement).toBe(errors);
  expect(isGrown()).toBe(true);
  await mouse.pointer({ target: errors, keys: '[/MouseLeft]' });
  expect(field().value).toBe('echo is:error');
  await expect.poll(isGrown).toBe(false);
  await userEvent.click(field());
  await userEvent.tab();
  expect(document.activeElement).not.toBe(field());
  expect(isGrown()).toBe(false);
});

test('a usual filter is added by a click and taken out by another', async () => {
  render(<Bar initially="echo" />);
  const errors = screen.getByRole('button', { name: 'Errors' });
  await userEvent.click(errors);
  expect(field().value).toBe('echo is:error');
  expect(errors.getAttribute('aria-pressed')).toBe('true');
  await userEvent.click(errors);
  expect(field().value).toBe('echo');
});

test('the menu counts what the chips count, for a bar that has no room for them', async () => {
  const counted = { signal: new FrameSignal(), counts: { errors: 2, found: 1200, asks: 0 } };
  const onChange = vi.fn<(text: string) => void>();
  render(<FilterMenu view={counted} text="is:ask" onChange={onChange} />);
  await userEvent.click(screen.getByRole('button', { name: 'Usual and saved filters' }));
  expect(screen.getByRole('button', { name: 'Errors 2' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Server asks' }).getAttribute('aria-pressed')).toBe('true');
  await userEvent.click(screen.getByRole('button', { name: 'Findings 1,200' }));
  expect(onChange).toHaveBeenCalledWith('is:ask finding:any');
});
