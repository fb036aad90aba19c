/**
 * Where a test runs if not on both hosts; the other has it in no list, and so skips nothing. `web` and `electron`: only this
 * host has what is tested. `page`: the page and the engine do it alike on both, so it runs on the web host, whose start costs
 * less, and on Electron with E2E_ALL=1. The rule is in docs/testing.md.
 */
export const only = {
  web: { tag: '@web-only' },
  electron: { tag: '@electron-only' },
  page: { tag: '@page' },
} as const;
