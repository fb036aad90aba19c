import type { Step } from './steps.ts';

/** Longer labels are cut: a diagram is for the eye. */
const LONGEST = 80;

/** The steps as a diagram in the text form that wikis and issue trackers draw (Mermaid `sequenceDiagram`). */
export function mermaidOf(steps: readonly Step[], server: string): string {
  const lines = [
    'sequenceDiagram',
    '  participant C as Sightglass',
    `  participant S as ${escaped(server)}`,
    ...steps.map((step) => `  ${lineOf(step)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function lineOf({ direction, isAnswer, label }: Step): string {
  const text = escaped(label);
  if (direction === null) return `Note over C,S: ${text}`;
  const [from, to] = direction === 'out' ? ['C', 'S'] : ['S', 'C'];
  return `${from}${isAnswer ? '-->>' : '->>'}${to}: ${text}`;
}

/** What would end a line or begin another word of the language is written as its character code. */
function escaped(text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
  const plain = short.replaceAll(/\s+/g, ' ').trim() || '(nothing)';
  return plain.replaceAll(/[#;:<>&"\\%{}\p{Cc}]/gu, (character) => `#${character.codePointAt(0)};`);
}
