/** Milliseconds; a timer that is set to more runs at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;
