import type { Command } from '#model/commands.ts';
import { openMockForm, restartMock, stopMock } from '#model/mocks.ts';
import type { ServedMock } from '#shared/contract/mocks.ts';
import { copyText } from '#ui/clipboard.ts';
import { reportFault } from '#ui/toaster.tsx';

/**
 * The commands about mocks.
 *
 * @param tracePath the opened trace on screen; null if no trace is open
 * @param mock that the selected server is; null for every other server
 */
export function mockCommands(tracePath: string | null, mock: ServedMock | null): Command[] {
  return [
    ...(tracePath === null
      ? []
      : [
          {
            id: 'mock.serve',
            title: 'Serve the trace as a mock…',
            group: 'Trace' as const,
            keywords: ['server', 'fake', 'replay', 'answers', 'http'],
            run: () => openMockForm(tracePath),
          },
        ]),
    ...(mock === null
      ? []
      : [
          {
            id: 'mock.copy-url',
            title: 'Copy the URL of the mock',
            group: 'Servers' as const,
            keywords: ['address', 'client'],
            run: () => void copyText(mock.url),
          },
          {
            id: 'mock.restart',
            title: 'Start the mock again',
            group: 'Servers' as const,
            keywords: ['restart', 'reset', 'clear'],
            run: () => reportFault(restartMock(mock.serverId)),
          },
          ...(mock.isRunning
            ? [
                {
                  id: 'mock.stop',
                  title: 'Stop the mock',
                  group: 'Servers' as const,
                  keywords: ['end', 'close'],
                  run: () => reportFault(stopMock(mock.serverId)),
                },
              ]
            : []),
        ]),
  ];
}
