import type { Feature, Shower, ShownBy, Transport } from '#fixtures/protocol/features/feature.ts';
import { featureGroups } from '#fixtures/protocol/features.ts';
import { type RealServer, realSupports } from '#fixtures/protocol/real-support.ts';
import type { Scenario } from '#fixtures/protocol/scene.ts';
import { sentIn, supports, titleOf } from '#fixtures/protocol/support.ts';
import { methodFacts } from '#shared/protocol/methods.ts';
import { eraOf, type Revision, revisionAtLeast } from '#shared/protocol/revisions.ts';

/** A test that a cell leads to. */
export interface Shown {
  readonly by: Shower;
  readonly file: string;
  readonly test: string;
  /** It runs with another revision or over another transport than the cell is of. */
  readonly elsewhere: boolean;
}

/** What is known of one row over one transport; `null` where it does not exist. */
export type Cell = readonly Shown[] | null;

export interface Row {
  readonly title: string;
  readonly note: string | null;
  readonly cells: readonly Cell[];
}

export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** The files that show single methods, and how their tests are called. */
export const methodFiles = {
  fixture: 'main/session/protocol.integration.test.ts',
  everything: 'main/session/tests/real-servers/everything-methods.integration.test.ts',
  SDK: 'main/session/tests/real-servers/sdk-methods.integration.test.ts',
} as const;

const showers: Readonly<Record<RealServer, 'everything' | 'SDK'>> = {
  'server-everything': 'everything',
  'the official SDK': 'SDK',
};

/** Why a method is not on every transport of its revision. */
const methodNotes: Readonly<Record<string, string>> = {
  'client: notifications/cancelled':
    'Over HTTP of the modern era a request is cancelled by closing the stream of its answer.',
};

/** What a revision has, a group of rows each with a cell for each transport. */
export function groupsOf(revision: Revision, transports: readonly Transport[]): Group[] {
  const rowsOf = (kind: Scenario['kind'], from: Scenario['from']): Row[] =>
    sentIn(revision)
      .filter((sent) => sent.from === from && methodFacts(sent.method)?.kind === kind)
      .map((sent) => {
        const cells = transports.map((transport) => methodCell(titleOf(sent), revision, transport));
        return { title: `\`${sent.method}\``, note: methodNotes[titleOf(sent)] ?? null, cells };
      });
  const isModern = eraOf(revision) === 'modern';
  return [
    { title: 'Requests of the client', rows: rowsOf('request', 'client') },
    {
      title: isModern ? 'Questions of the server, inside results' : 'Requests of the server',
      rows: rowsOf('request', 'server'),
    },
    { title: 'Notifications of the client', rows: rowsOf('notification', 'client') },
    { title: 'Notifications of the server', rows: rowsOf('notification', 'server') },
    ...featureGroups.map(({ title, features }) => ({
      title,
      rows: features
        .filter((feature) => hasFeature(feature, revision))
        .map((feature) => ({
          title: feature.title,
          note: feature.note ?? null,
          cells: transports.map((transport) => featureCell(feature, revision, transport)),
        })),
    })),
  ];
}

/** Methods of other revisions that this one does not have. */
export function methodsWithout(revision: Revision, all: readonly string[]): string[] {
  const own = new Set(sentIn(revision).map(({ method }) => method));
  return all.filter((method) => !own.has(method));
}

/** What the protocol has only in other revisions. */
export const featuresWithout = (revision: Revision): string[] =>
  featureGroups.flatMap(({ features }) =>
    features.filter((feature) => !hasFeature(feature, revision)).map(({ title }) => title),
  );

const hasFeature = ({ since, until }: Feature, revision: Revision): boolean =>
  (since === undefined || revisionAtLeast(revision, since)) &&
  (until === undefined || !revisionAtLeast(revision, until));

function methodCell(title: string, revision: Revision, transport: Transport): Cell {
  const isHere = (one: { revision: Revision; transport: Transport; scenarios: readonly Scenario[] }) =>
    one.revision === revision &&
    one.transport === transport &&
    one.scenarios.some((scenario) => titleOf(scenario) === title);
  if (!supports.some(isHere)) return null;
  const real = realSupports.filter(isHere).map(({ server }) => showers[server]);
  const by = real.length > 0 ? real : (['fixture'] as const);
  return by.map((one) => ({ by: one, file: methodFiles[one], test: title, elsewhere: false }));
}

function featureCell(feature: Feature, revision: Revision, transport: Transport): Cell {
  if (feature.over && !feature.over.includes(transport)) return null;
  const [best] = feature.shown
    .map((shown) => ({ shown, far: distance(shown, revision, transport) }))
    .toSorted((a, b) => a.far - b.far);
  if (best === undefined) throw new Error(`Nothing shows: ${feature.title}`);
  const { by, file, test } = best.shown;
  return [{ by, file, test, elsewhere: best.far > 0 }];
}

/** How far a test is from a cell: another transport, another revision, another era. */
function distance({ revisions, over }: ShownBy, revision: Revision, transport: Transport): number {
  const otherTransport = over.includes(transport) ? 0 : 1;
  if (revisions.includes(revision)) return otherTransport;
  return otherTransport + (revisions.some((one) => eraOf(one) === eraOf(revision)) ? 2 : 4);
}
