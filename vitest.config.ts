import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';

/**
 * Milliseconds to wait for something to come about. The second that is usual is a requirement on speed, which more tests at a
 * time than there are cores do not always grant.
 */
const waitTimeout = 20_000;

const seededProperties = fileURLToPath(new URL('fixtures/seeded-properties.ts', import.meta.url));

/** Gives every property the seed of the run, without a start of fast-check in the files that have none. */
const withSeed: Plugin = {
  name: 'seeded-properties',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === 'fast-check' && importer !== seededProperties ? seededProperties : null,
};

const waiting = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: waitTimeout } } };

export default defineConfig({
  test: {
    // End-to-end tests run beside these. With more processes than cores, the one that is late is so by chance.
    maxWorkers: availableParallelism(),
    projects: [
      {
        plugins: [withSeed],
        test: {
          name: 'node',
          environment: 'node',
          include: ['{main,shared,fixtures,scripts,bench}/**/*.test.ts'],
          // Modules of the engine keep no state of their own.
          isolate: false,
          ...waiting,
        },
      },
      {
        plugins: [withSeed],
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['renderer/**/*.test.{ts,tsx}'],
          // Its setup loads the modules again for each file, and cleans the window that they share.
          isolate: false,
          setupFiles: ['fixtures/page/fresh-page.ts', 'fixtures/wait-timeout.ts'],
          provide: { waitTimeout },
          ...waiting,
        },
      },
    ],
  },
});
