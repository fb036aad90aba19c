import { useMemo } from 'react';
import { type Command, useCommands } from '#model/commands.ts';
import { useSignalled } from './frame-signal.ts';
import type { TraceView } from './trace-view.ts';

/** The keys of the way between a message and its HTTP exchange; in the table `E` alone does it too. */
export const EXCHANGE_KEYS = 'Mod+E';

const titles = {
  exchange: 'Go to the HTTP exchange of the selected row',
  message: 'Go back from the HTTP exchange to the message',
} as const;

/** Offers the way between the selected message and its HTTP exchange, while there is one. */
export function ExchangeCommand({ view }: { readonly view: TraceView }) {
  const to = useSignalled(view.signal, () => view.navigation.exchangeJump);
  useCommands(
    useMemo((): Command[] => {
      if (to === null) return [];
      return [
        {
          id: 'trace.exchange',
          title: titles[to],
          group: 'Trace',
          shortcut: EXCHANGE_KEYS,
          keywords: ['http', 'headers', 'request', 'response', 'message', 'jump'],
          run: () => view.navigation.goToExchange(),
        },
      ];
    }, [view, to]),
  );
  return null;
}
