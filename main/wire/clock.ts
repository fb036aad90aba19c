/** Microseconds of this process's monotonic clock; every stamp on the record is of this clock. */
export const now = (): number => Math.round(performance.now() * 1000);

/** The same instant on both clocks: microseconds monotonic, milliseconds since the Unix epoch. */
export const bothClocks = (): { at: number; wall: number } => ({ at: now(), wall: Date.now() });
