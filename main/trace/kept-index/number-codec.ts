import { z } from 'zod';

/** The encoding of a column of numbers: the numbers or the steps between them, minus `base`. */
export const writtenColumnSchema = z.object({
  steps: z.boolean(),
  base: z.number(),
  /** Bytes per number; 0 if all are the same, 8 for numbers as in memory. */
  width: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(4), z.literal(8)]),
  /** Whether 0 means "no number", so that all others are incremented. */
  hasGaps: z.boolean(),
});
export type WrittenColumn = z.infer<typeof writtenColumnSchema>;

/** A writable sequence of numbers, such as a typed array. */
export interface NumberColumn {
  readonly length: number;
  [index: number]: number;
  fill(value: number): unknown;
}

/** The range of the numbers of a column. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
  /** Set if NaN in the column means that there is no value. */
  readonly mayBeNone?: boolean;
}

/**
 * Encodes numbers in as few bytes as their range allows.
 *
 * @param least minimum of bytes per number
 */
export function encodeNumbers(
  column: ArrayLike<number>,
  least: 0 | 1 = 0,
): { written: WrittenColumn; bytes: Uint8Array<ArrayBuffer> } {
  const plain = rangeOf(column, false);
  const steps = plain === null || plain.hasGaps ? null : rangeOf(column, true);
  if (plain === null) {
    const bytes = new Uint8Array(Float64Array.from(column).buffer);
    return { written: { steps: false, base: 0, width: 8, hasGaps: false }, bytes };
  }
  const isSteps = steps !== null && widthOf(steps) < widthOf(plain);
  const range = isSteps ? steps : plain;
  const { least: base, hasGaps } = range;
  const width = widthOf(range) || least;
  const bytes = new ArrayBuffer(width * column.length);
  const written = { steps: isSteps, base, width, hasGaps };
  if (width === 0) return { written, bytes: new Uint8Array(bytes) };
  const to = viewOf(bytes, width);
  const shift = hasGaps ? 1 : 0;
  for (let index = 0, before = 0; index < column.length; index++) {
    const value = column[index] ?? 0;
    to[index] = Number.isNaN(value) ? 0 : value - before - base + shift;
    if (isSteps) before = value;
  }
  return { written, bytes: new Uint8Array(bytes) };
}

/**
 * Decodes numbers into a column; false if their count is wrong or one is out of bounds. The bytes are 8-byte aligned.
 */
export function decodeNumbers(
  { steps, base, width, hasGaps }: WrittenColumn,
  bytes: Uint8Array<ArrayBuffer>,
  to: NumberColumn,
  { least, most, mayBeNone = false }: Bounds,
): boolean {
  if (bytes.length !== width * to.length || (hasGaps && !mayBeNone)) return false;
  if (!Number.isSafeInteger(base)) return false;
  if (width === 0 && !steps) {
    to.fill(hasGaps ? Number.NaN : base);
    return to.length === 0 || hasGaps || (base >= least && base <= most);
  }
  const from = width === 0 ? null : viewOf(bytes.buffer, width, bytes.byteOffset, to.length);
  const shift = hasGaps ? 1 : 0;
  for (let index = 0, before = 0; index < to.length; index++) {
    const found = from === null ? 0 : (from[index] ?? 0);
    const value = hasGaps && found === 0 ? Number.NaN : found - shift + base + before;
    // Also false for NaN.
    const isWithin = value >= least && value <= most;
    if (!isWithin && !(mayBeNone && Number.isNaN(value))) return false;
    to[index] = value;
    if (steps) before = value;
  }
  return true;
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly hasGaps: boolean;
}

/** The range of the numbers, or of the steps between them; null unless all are exact integers. */
function rangeOf(column: ArrayLike<number>, isSteps: boolean): Range | null {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let hasGaps = false;
  for (let index = 0, before = 0; index < column.length; index++) {
    const value = column[index] ?? 0;
    const difference = value - before;
    if (Number.isNaN(value)) hasGaps = true;
    else if (!Number.isSafeInteger(value) || !Number.isSafeInteger(difference) || Object.is(value, -0))
      return null;
    else if (difference < least) least = difference;
    if (difference > most) most = difference;
    if (isSteps) before = value;
  }
  if (least > most) return { least: 0, most: 0, hasGaps };
  return Number.isSafeInteger(most - least + 1) ? { least, most, hasGaps } : null;
}

/** Bytes needed for each number of a range. */
function widthOf({ least, most, hasGaps }: Range): WrittenColumn['width'] {
  const largest = most - least + (hasGaps ? 1 : 0);
  if (largest === 0) return 0;
  if (largest <= 0xff) return 1;
  if (largest <= 0xffff) return 2;
  return largest <= 0xffff_ffff ? 4 : 8;
}

function viewOf(buffer: ArrayBuffer, width: 1 | 2 | 4 | 8, offset = 0, length?: number) {
  switch (width) {
    case 1:
      return new Uint8Array(buffer, offset, length);
    case 2:
      return new Uint16Array(buffer, offset, length);
    case 4:
      return new Uint32Array(buffer, offset, length);
    case 8:
      return new Float64Array(buffer, offset, length);
  }
}
