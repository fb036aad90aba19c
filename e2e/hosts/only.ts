/** For a test that one host alone can run; the other has it in no list, and so skips nothing. */
export const only = { web: { tag: '@web-only' }, electron: { tag: '@electron-only' } } as const;
