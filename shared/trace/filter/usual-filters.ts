/** A common filter, and its name. */
export interface UsualFilter {
  readonly text: string;
  readonly label: string;
  readonly hint: string;
}

/** The filters offered beside the filter input, in this order. */
export const usualFilters: readonly UsualFilter[] = [
  { text: 'is:error', label: 'Errors', hint: 'What went wrong, a row for each error' },
  { text: 'finding:any', label: 'Findings', hint: 'Rows with a finding' },
  { text: 'is:call', label: 'Calls', hint: 'Requests, in both directions' },
  { text: 'method:tools/call', label: 'Tool calls', hint: 'Tool calls and their answers' },
  { text: 'is:ask', label: 'Server asks', hint: 'Requests of the server' },
  { text: 'kind:notification', label: 'Notifications', hint: 'Messages that ask for no answer' },
  { text: 'dur:>200ms', label: 'Slow', hint: 'Took longer than 200 ms' },
  { text: 'is:marked', label: 'Marked', hint: 'Rows with a bookmark or note' },
  { text: '-kind:stderr', label: 'No stderr', hint: 'Leaves out the lines of standard error' },
  { text: '-kind:http,sse', label: 'No HTTP', hint: 'Leaves out what HTTP carried beside messages' },
  { text: '-is:automatic', label: 'Only mine', hint: 'Leaves out what the session sent by itself' },
];
