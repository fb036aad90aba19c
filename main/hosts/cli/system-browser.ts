import { spawn } from 'node:child_process';
import { browserEnvironment } from './named-values.ts';

/** The programs that open a URL in the user's browser, by platform. */
const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a URL in the user's browser, without a shell. Does nothing where that is not possible: the URL was printed. */
export function openInSystemBrowser(url: string): void {
  const opener = openers[process.platform];
  if (opener === undefined) return;
  const [command, ...args] = opener;
  const child = spawn(command, [...args, url], {
    env: browserEnvironment(),
    stdio: 'ignore',
    detached: true,
  });
  child.on('error', () => undefined);
  child.unref();
}
