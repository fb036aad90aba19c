import type { ReactNode } from 'react';
import { formatBytes, formatDuration } from '#shared/format.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { visibleLine } from '#ui/visible.ts';
import { toneClasses, methodWords, statusOf, type Words } from '../table/row-labels.ts';

/** What two rows are, and by how much their figures differ. */
export function ComparedFacts({ left, right }: { readonly left: TraceRow; readonly right: TraceRow }) {
  const all: readonly (readonly [string, ReactNode, ReactNode, string])[] = [
    ['status', said(statusOf(left)), said(statusOf(right)), ''],
    [
      'duration',
      figure(left.duration, formatDuration),
      figure(right.duration, formatDuration),
      difference(left.duration, right.duration, formatDuration),
    ],
    ['size', formatBytes(left.size), formatBytes(right.size), difference(left.size, right.size, formatBytes)],
    ['time', '', '', apart(left, right)],
  ];
  const lines = all.filter(([, ...facts]) => facts.some((fact) => fact !== ''));
  return (
    <table className="mono w-full table-fixed border-b border-line text-mute">
      <thead>
        <tr>
          <th scope="col" className="w-20">
            <span className="sr-only">fact</span>
          </th>
          {[left, right].map((row) => (
            <th key={row.row} scope="col" className="truncate py-1.5 pr-2 text-left font-normal">
              <span className="text-text">{rowNumber(row.row)}</span> {visibleLine(methodWords(row).text)}{' '}
              <span className="text-faint">{visibleLine(row.summary)}</span>
            </th>
          ))}
          <th scope="col" className="w-40 pr-3 text-right font-sans text-xs font-normal text-faint">
            difference
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(([name, one, other, between]) => (
          <tr key={name}>
            <th scope="row" className="pl-3 text-left font-sans text-xs font-normal text-faint">
              {name}
            </th>
            <td className="truncate pr-2 text-text">{one}</td>
            <td className="truncate pr-2 text-text">{other}</td>
            <td className="truncate pr-3 text-right">{between}</td>
          </tr>
        ))}
        <tr aria-hidden className="h-1.5" />
      </tbody>
    </table>
  );
}

const said = ({ text, tone }: Words): ReactNode =>
  text === '' ? '' : <span className={toneClasses[tone]}>{text}</span>;

const figure = (value: number | null, format: (value: number) => string): string =>
  value === null ? '' : format(value);

/** `+126 B · +68 %` */
function difference(left: number | null, right: number | null, format: (value: number) => string): string {
  if (left === null || right === null) return '';
  if (left === right) return 'same';
  const sign = right > left ? '+' : '−';
  const share = left === 0 ? '' : ` · ${sign}${Math.round((100 * Math.abs(right - left)) / left)} %`;
  return `${sign}${format(Math.abs(right - left))}${share}`;
}

const apart = (left: TraceRow, right: TraceRow): string =>
  `${formatDuration(Math.abs(right.at - left.at))} apart`;
