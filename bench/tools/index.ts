import { manyToolsServer } from '#fixtures/many-tools/command.ts';
import type { Host } from '../app/app.ts';
import { withApp } from '../app/hosts.ts';
import { milliseconds } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { ownLine, type Table, under } from '../report/table.ts';

const TOOLS = 1000;
const LIST_GOAL = 300;
const KEY_GOAL = 50;
const COMPLETION_GOAL = 150;
/** What is typed into the search field: a name that stands deep in the list. */
const SEARCH = 'export invoice 0725';

/** How long the list of a server with a thousand tools takes, a search in it, and the completion of their names. */
export async function toolsTable(host: Host, rounds: number): Promise<Table> {
  const server = { kind: 'command' as const, ...manyToolsServer(TOOLS) };
  return withApp(host, server, async ({ page }) => {
    await page.showTools();
    const lists: number[] = [];
    const keys: number[] = [];
    const clearings: number[] = [];
    for (let round = 0; round < rounds; round++) {
      // The server adds one each time, so the page can tell the new list from the old one.
      lists.push(await page.reloadTools(TOOLS + 1 + round));
      const search = await page.searchTools(SEARCH);
      keys.push(...search.keys);
      clearings.push(search.cleared);
    }
    const [firstCompletion = Number.NaN, ...completions] = await page.completeTools(rounds + 1);
    const longestCompletion = Math.max(...completions);
    const [list, key, longestKey] = [median(lists), median(keys), Math.max(...keys)];
    const clearing = median(clearings);
    return {
      title: `${TOOLS.toLocaleString('en-US')} tools; rounds: ${rounds}`,
      lines: [
        ownLine(
          'from the response to the list on screen, median',
          list,
          milliseconds,
          under(list, LIST_GOAL, milliseconds),
        ),
        ownLine('  the longest', Math.max(...lists), milliseconds),
        ownLine(
          'from a key of the search to the matches on screen, median',
          key,
          milliseconds,
          under(key, KEY_GOAL, milliseconds),
        ),
        ownLine('  the longest', longestKey, milliseconds, under(longestKey, KEY_GOAL, milliseconds)),
        ownLine(
          '  from clearing it to all tools on screen, median',
          clearing,
          milliseconds,
          under(clearing, KEY_GOAL, milliseconds),
        ),
        ownLine(
          'from the key to the tools that the composer offers, the first time',
          firstCompletion,
          milliseconds,
          under(firstCompletion, COMPLETION_GOAL, milliseconds),
        ),
        ownLine(
          '  the longest after that',
          longestCompletion,
          milliseconds,
          under(longestCompletion, COMPLETION_GOAL, milliseconds),
        ),
      ],
    };
  });
}
