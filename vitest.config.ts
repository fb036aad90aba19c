import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Milliseconds to wait for something to come about. The second that is usual is a wish about speed, which more tests at a
 * time than there are cores do not always grant.
 */
const patience = 20_000;

const waiting = { testTimeout: 60_000, expect: { poll: { timeout: patience } } };

export default defineConfig({
  test: {
    // Most tests wait for processes and sockets, so that a core has room for more than one of them.
    maxWorkers: Math.max(3, availableParallelism()),
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          include: ['{main,shared,fixtures,scripts,bench}/**/*.test.ts'],
          ...waiting,
        },
      },
      {
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['renderer/**/*.test.{ts,tsx}'],
          setupFiles: ['fixtures/patient-screens.ts'],
          provide: { patience },
          ...waiting,
        },
      },
    ],
  },
});
