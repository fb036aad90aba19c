/** The panes that have a tab, in the order of the tabs. */
export const paneNames = [
  'overview',
  'mock',
  'tools',
  'resources',
  'prompts',
  'composer',
  'inbox',
  'logs',
  'tasks',
  'tests',
  'replay',
  'authorization',
] as const;

export type PaneName = (typeof paneNames)[number];
