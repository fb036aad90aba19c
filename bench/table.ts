/** A line of the table: what was measured, and the figure of each side. */
export interface Line {
  readonly what: string;
  readonly app: string;
  readonly bare: string;
  /** The app's figure in units of the bare client's. */
  readonly ratio: string;
  /** What it should be, and whether it is. */
  readonly goal?: { readonly text: string; readonly isMet: boolean };
}

export const none = '–';
export const ratioOf = (app: number, bare: number): string => `${(app / bare).toFixed(2)}x`;

/** Lines of text, the columns aligned. */
export function formatTable(title: string, lines: readonly Line[]): string {
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

const goalText = ({ text, isMet }: { text: string; isMet: boolean }) => `${isMet ? '✓' : '✗'} ${text}`;
