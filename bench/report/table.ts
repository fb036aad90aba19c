/** What a figure should be, and whether it is. */
export interface Goal {
  readonly text: string;
  readonly isMet: boolean;
}

/** A line of the table: what was measured, and the figure of each side. */
export interface Line {
  readonly what: string;
  readonly app: string;
  readonly bare: string;
  /** The app's figure in units of the bare client's. */
  readonly ratio: string;
  readonly goal?: Goal;
}

/** Lines that belong together. */
export interface Table {
  readonly title: string;
  readonly lines: readonly Line[];
}

export const none = '–';
export const ratioOf = (app: number, bare: number): string => `${(app / bare).toFixed(2)}x`;

/** A line of a figure that both sides have. */
export const bothLine = (
  what: string,
  app: number,
  bare: number,
  format: (value: number) => string,
  goal?: Goal,
): Line => ({
  what,
  app: format(app),
  bare: format(bare),
  ratio: ratioOf(app, bare),
  ...(goal && { goal }),
});

/** A line of what a bare client does not do. Null is a figure that this machine does not tell. */
export const ownLine = (
  what: string,
  app: number | null,
  format: (value: number) => string,
  goal?: Goal,
): Line => ({
  what,
  app: app === null ? none : format(app),
  bare: none,
  ratio: none,
  ...(goal && app !== null && { goal }),
});

/** The goal that a figure stays under a limit. */
export const under = (value: number | null, limit: number, format: (value: number) => string): Goal => ({
  text: `under ${format(limit)}`,
  isMet: value !== null && value < limit,
});

/** Lines of text, the columns aligned. */
export function formatTable({ title, lines }: Table): string {
  const head = ['', 'Sightglass', 'bare client', 'ratio', 'goal'];
  const rows = lines.map(({ what, app, bare, ratio, goal }) => [
    what,
    app,
    bare,
    ratio,
    goal ? goalText(goal) : '',
  ]);
  const table = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const print = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 || column === 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const rule = '─'.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [title, rule, print(head), rule, ...rows.map(print), rule].join('\n');
}

const goalText = ({ text, isMet }: Goal) => `${isMet ? '✓' : '✗'} ${text}`;
