import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { configurationIn, usePastedConfiguration } from './pasted-configuration.ts';

afterEach(cleanup);

const whole = '{ "mcpServers": { "files": { "command": "npx", "args": ["files"] } } }';

test.each([
  ['a whole file', whole, whole],
  ['a file with a comment', `// mine\n${whole}`, `// mine\n${whole}`],
  ['one server', '{"command": "npx"}', '{"command": "npx"}'],
  [
    'a member as READMEs show it',
    '"files": { "command": "npx" },',
    '{ "mcpServers": { "files": { "command": "npx" } } }',
  ],
  [
    'the member of all servers',
    `"servers": { "a": { "url": "http://x" } }`,
    '{ "servers": { "a": { "url": "http://x" } } }',
  ],
  ['a damaged file', '{ "mcpServers": { "files": { "command": ', '{ "mcpServers": { "files": { "command": '],
  ['other JSON', '{ "message": "hello" }', null],
  ['a command line', 'npx -y "command": x', null],
  ['a message', '[{"command": 1}]', null],
])('of %s', (_, text, found) => {
  expect(configurationIn(text)).toBe(found);
});

function Window() {
  usePastedConfiguration();
  return (
    <>
      <button type="button">Elsewhere</button>
      <input aria-label="Filter" />
      <div data-takes-configuration>
        <input aria-label="Name" />
      </div>
      <form data-is-edited>
        <div data-takes-configuration>
          <input aria-label="URL" />
        </div>
      </form>
    </>
  );
}

test('it opens the import form from anywhere but a field for other text', () => {
  render(<Window />);
  const paste = (into: HTMLElement, text: string) => {
    useSelection.setState({ transfer: null });
    fireEvent.paste(into, { clipboardData: { getData: () => text } });
    const { transfer } = useSelection.getState();
    return transfer?.kind === 'import' ? transfer.file?.text : null;
  };
  expect(paste(screen.getByText('Elsewhere'), whole)).toBe(whole);
  expect(paste(screen.getByLabelText('Name'), whole)).toBe(whole);
  expect(paste(screen.getByLabelText('Name'), 'my server')).toBeNull();
  expect(paste(screen.getByLabelText('URL'), whole)).toBeNull();
  expect(paste(screen.getByLabelText('Filter'), whole)).toBeNull();
});
