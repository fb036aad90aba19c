/** Characters that stand before the placeholder in the sample of a removal, at most. */
const BEFORE = 41;
/** How many of them are shown, and of those that follow. */
const AROUND = 14;

/** The placeholder that a sample is about, with a few characters around it. */
export function shortSample(sample: string): string {
  const own = [...sample.matchAll(/\[secret [^\]]*\]/g)].findLast(({ index }) => index <= BEFORE);
  if (own === undefined) return sample;
  const from = Math.max(0, own.index - AROUND);
  const to = own.index + own[0].length + AROUND;
  return `${from > 0 ? '…' : ''}${sample.slice(from, to)}${to < sample.length ? '…' : ''}`;
}
