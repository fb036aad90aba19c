import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '#scripts/step.ts';
import type { Host } from '../app/app.ts';
import { withApp } from '../app/hosts.ts';
import { kilobytes, milliseconds } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { ownLine, type Table, under } from '../report/table.ts';

const TIME_GOAL = 1500;
const SCRIPT_GOAL = 200e3;
/** Words that stand in the editor's own code and nowhere else. */
const EDITOR_MARK = 'monaco-editor';

/** From the start of the app's process until its window can be used, and what its page loads for that. */
export async function startTable(host: Host, rounds: number): Promise<Table> {
  const times: number[] = [];
  let scripts: readonly string[] = [];
  for (let round = 0; round < rounds; round++) {
    scripts = await withApp(host, { kind: 'nothing' }, async ({ startTime, page }) => {
      times.push(startTime);
      return page.firstScripts();
    });
  }
  const loaded = await Promise.all(scripts.map((address) => readFile(fileOf(address))));
  // Electron does not tell of what a page loads by a protocol of its own; it loads the same.
  const isKnown = loaded.length > 0;
  const bytes = isKnown ? loaded.reduce((sum, script) => sum + gzipSync(script).length, 0) : null;
  const editors = isKnown ? loaded.filter((script) => script.includes(EDITOR_MARK)).length : null;
  const time = median(times);
  return {
    title: `start of the app; rounds: ${rounds}`,
    lines: [
      ownLine(
        'until its window can be used, median',
        time,
        milliseconds,
        under(time, TIME_GOAL, milliseconds),
      ),
      ownLine(
        'scripts before the first paint, gzipped',
        bytes,
        kilobytes,
        under(bytes, SCRIPT_GOAL, kilobytes),
      ),
      ownLine('  of these, scripts of the editor', editors, String, { text: 'none', isMet: editors === 0 }),
    ],
  };
}

/** The built file that a page asked for by this address. */
const fileOf = (address: string): string =>
  join(projectRoot, 'dist/renderer', decodeURIComponent(new URL(address).pathname));
