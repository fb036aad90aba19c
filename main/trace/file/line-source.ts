/** Where a line stands in the file, in bytes, without its newline. */
export interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

/** Where the lines of a trace are read from: a file that is being written, or one that was opened. */
export interface LineSource {
  readonly path: string;
  /** Bytes there are to read, once everything is written. */
  readonly size: number;
  /** The lines at these places, in the same order. @throws FaultError when they cannot be read */
  read(places: readonly LinePlace[]): Promise<string[]>;
  /** The bytes from one place up to another. @throws FaultError when they cannot be read */
  readSpan(from: number, end: number): Promise<Buffer>;
}
