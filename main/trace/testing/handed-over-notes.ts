import { readFile } from 'node:fs/promises';

/** The variable that names the file of notes. */
export const WITNESS = 'SIGHTGLASS_TEST_WITNESS';
export const NOTE_BYTES = 16;

/** A line that was handed to the file of a trace. */
export interface Note {
  /** Where it ends in the file, without its newline. */
  readonly end: number;
  /** Microseconds that the thread had worked by then, which stand still while it has no core. */
  readonly worked: number;
}

/** What was noted, whole notes only. */
export async function readNotes(path: string): Promise<Note[]> {
  const bytes = await readFile(path);
  return Array.from({ length: Math.floor(bytes.length / NOTE_BYTES) }, (_, place) => {
    const from = place * NOTE_BYTES;
    return { end: bytes.readDoubleLE(from), worked: bytes.readDoubleLE(from + 8) };
  });
}
