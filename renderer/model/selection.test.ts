import { expect, test } from 'vitest';
import { showAwaitedTools, takesToolFocus } from './selection.ts';

test('the filter of the tools takes no focus from a dialog that was opened meanwhile', () => {
  const dialog = document.createElement('div');
  dialog.setAttribute('role', 'dialog');
  showAwaitedTools();
  document.body.append(dialog);
  expect(takesToolFocus()).toBe(false);
  dialog.remove();
  showAwaitedTools();
  expect(takesToolFocus()).toBe(true);
  expect(takesToolFocus()).toBe(false);
});
