import type { Shower, Transport } from '#fixtures/protocol/features/feature.ts';
import { supports } from '#fixtures/protocol/support.ts';
import { methods } from '#shared/protocol/methods.ts';
import { revisions } from '#shared/protocol/revisions.ts';
import {
  type Cell,
  featuresWithout,
  type Group,
  groupsOf,
  methodsWithout,
  type Row,
  type Shown,
} from './cells.ts';

const transportNames: Readonly<Record<Transport, string>> = {
  stdio: 'stdio',
  'streamable-http': 'Streamable HTTP',
  'http-sse': 'HTTP+SSE',
};

const isReal = (by: Shower): boolean => by === 'everything' || by === 'SDK';

const introduction = `# What of the protocol is supported

Every method and notification of every published revision of the Model Context Protocol, and what the protocol has beside
them, over each transport: each cell leads to the test that shows it, whose name stands in the title of the link. All of
them drive the engine through its contract, as a screen does.

| a cell says | the test runs against |
|---|---|
| everything | \`@modelcontextprotocol/server-everything\`, the reference server |
| SDK | a server of the official SDK, \`@modelcontextprotocol/server\` 2 |
| fixture | a server of ours (\`fixtures/legacy\`, \`fixtures/modern\`), where no real server has this |
| scripted | a few lines for this one test, where no good server does this |
| – | nothing: this transport does not have it |

\`*\`: the test runs with another revision or over another transport, on which this does not depend.

Written by \`npm run protocol-support\` from the tables in \`fixtures/protocol/\`, which the tests are made of, too.
`;

/** The page, and how many of its cells are shown where. */
export function supportPage(): {
  text: string;
  total: number;
  shown: { real: number; elsewhere: number };
  links: readonly Shown[];
} {
  const links = new Links();
  const notes = new Notes();
  const sections: string[] = [];
  for (const { id: revision } of revisions) {
    const transports = supports.filter((one) => one.revision === revision).map(({ transport }) => transport);
    const groups = groupsOf(revision, transports);
    const head = ['', ...transports.map((transport) => transportNames[transport])];
    const rows = groups
      .filter(({ rows: { length } }) => length > 0)
      .flatMap((group) => lines(group, links, notes));
    const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
    sections.push([`## ${revision}`, '', ...table, '', ...absent(revision)].join('\n'));
  }
  const text = [introduction, ...sections, notes.text, links.text].join('\n');
  return {
    text,
    total: links.cells,
    shown: { real: links.real, elsewhere: links.elsewhere },
    links: links.all,
  };
}

function lines({ title, rows }: Group, links: Links, notes: Notes): string[][] {
  const [first] = rows;
  const heading = [`**${title}**`, ...(first?.cells ?? []).map(() => '')];
  return [
    heading,
    ...rows.map((row) => [row.title, ...row.cells.map((cell) => written(cell, row, links, notes))]),
  ];
}

function written(cell: Cell, { note }: Row, links: Links, notes: Notes): string {
  if (cell === null) return note === null ? '–' : `–${notes.mark(note)}`;
  links.count(cell);
  return cell.map((shown) => `${links.to(shown)}${shown.elsewhere ? '\\*' : ''}`).join(' · ');
}

function absent(revision: (typeof revisions)[number]['id']): string[] {
  const names = methodsWithout(
    revision,
    methods.map(({ method }) => method),
  ).map((method) => `\`${method}\``);
  const features = featuresWithout(revision);
  return [
    ...(names.length > 0 ? [`Not in this revision: ${names.join(', ')}.`, ''] : []),
    ...(features.length > 0 ? [`Nor: ${features.join('; ')}.`, ''] : []),
  ];
}

/** The tests that cells lead to, each defined once at the end of the page. */
class Links {
  real = 0;
  elsewhere = 0;
  cells = 0;
  readonly #known = new Map<string, { number: number; shown: Shown }>();

  get all(): readonly Shown[] {
    return [...this.#known.values()].map(({ shown }) => shown);
  }

  count(cell: readonly Shown[]): void {
    this.cells++;
    if (cell.some(({ by }) => isReal(by))) this.real++;
    if (cell.some(({ elsewhere }) => elsewhere)) this.elsewhere++;
  }

  to(shown: Shown): string {
    const key = `${shown.file} ${shown.test}`;
    const known = this.#known.get(key) ?? { number: this.#known.size + 1, shown };
    this.#known.set(key, known);
    return `[${shown.by}][${known.number}]`;
  }

  get text(): string {
    return `${[...this.#known.values()]
      .map(({ number, shown: { file, test } }) => `[${number}]: ../${file} (${titled(test)})`)
      .join('\n')}\n`;
  }
}

/** The name of a test as the title of a link, which stands in parentheses. */
const titled = (test: string): string => test.replaceAll(/[()]/g, '\\$&');

/** Why something is not there, each told once. */
class Notes {
  readonly #known: string[] = [];

  mark(note: string): string {
    if (!this.#known.includes(note)) this.#known.push(note);
    return `[^${this.#known.indexOf(note) + 1}]`;
  }

  get text(): string {
    return `${this.#known.map((note, index) => `[^${index + 1}]: ${note}`).join('\n')}\n`;
  }
}
