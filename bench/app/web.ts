import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright';
import { findOrInstallBrowser } from '#scripts/browser.ts';
import { projectRoot } from '#scripts/step.ts';
import type { App, Engine, Host, Opened } from './app.ts';
import { AppPage } from './page.ts';

const cli = join(projectRoot, 'dist/main/cli.js');
/**
 * As in `npm start`. Node may give 134 MB to new objects on a large machine; with the first it is a quarter. By
 * itself V8 collects garbage and compiles with four threads more, which take the processors from the page in a flood.
 */
export const nodeOptions = ['--max-semi-space-size=16', '--v8-pool-size=1'] as const;
/** Milliseconds between two questions whether the engine answers. */
const PAUSE = 5;
const viewport = { width: 1440, height: 900 };

/** The app behind a loopback page, in a Chromium of this machine that runs already. */
export class WebHost implements Host {
  readonly name = 'web';
  #browser: Promise<Browser> | undefined;

  async start(opened: Opened, home: string): Promise<App> {
    if (!existsSync(cli)) throw new Error('Nothing is built: npm run build');
    const browser = await this.#openBrowser();
    const context = await browser.newContext({ viewport });
    const page = await context.newPage();
    const startedAt = performance.now();
    const child = spawn(process.execPath, [...nodeOptions, cli, 'open', '--web', ...wordsOf(opened)], {
      env: { ...process.env, SIGHTGLASS_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const close = async () => {
      await context.close();
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGINT');
      await once(child, 'exit');
    };
    try {
      const address = await addressOf(child);
      await page.goto(address);
      const shown = await AppPage.shown(page);
      const startTime = performance.now() - startedAt;
      return { page: shown, home, startTime, engine: engineAt(child.pid ?? -1, new URL(address)), close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  async end(): Promise<void> {
    await (await this.#browser)?.close();
  }

  #openBrowser(): Promise<Browser> {
    this.#browser ??= chromium.launch({
      executablePath: findOrInstallBrowser(),
      // The sandbox of Chromium does not work for root, as in a container.
      chromiumSandbox: process.getuid?.() !== 0,
    });
    return this.#browser;
  }
}

function wordsOf(opened: Opened): readonly string[] {
  switch (opened.kind) {
    case 'nothing':
      return [];
    case 'command':
      return ['--', opened.command, ...opened.args];
    case 'url':
      return ['--url', opened.url];
  }
}

/** The address the app prints; rejects when it ends without one. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      printed += bytes.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+\/#token=[^\s]+/.exec(printed)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`the app ended with exit code ${code}:\n${printed}`)));
  });
}

/** The engine answers requests of the page on the thread that does everything else, so a slow answer is a stall. */
function engineAt(pid: number, { hostname, port }: URL): Engine {
  return {
    pid,
    async longestStall(work) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const watch = { longest: 0, isOver: false };
      const watching = askAgainAndAgain({ hostname, port, agent }, watch);
      try {
        const result = await work();
        watch.isOver = true;
        await watching;
        return { result, stall: watch.longest };
      } finally {
        watch.isOver = true;
        agent.destroy();
      }
    },
  };
}

async function askAgainAndAgain(
  server: { hostname: string; port: string; agent: Agent },
  watch: { longest: number; isOver: boolean },
): Promise<void> {
  while (!watch.isOver) {
    const askedAt = performance.now();
    await ask(server);
    watch.longest = Math.max(watch.longest, performance.now() - askedAt);
    await sleep(PAUSE);
  }
}

const ask = (server: { hostname: string; port: string; agent: Agent }): Promise<void> =>
  new Promise((resolve, reject) => {
    request({ ...server, method: 'HEAD', path: '/nothing-here' }, (response) => {
      response.resume();
      response.once('end', resolve);
    })
      .once('error', reject)
      .end();
  });
