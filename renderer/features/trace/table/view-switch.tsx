import { WordSwitch } from '#ui/word-switch.tsx';
import { useSignalled } from '../frame-signal.ts';
import type { TraceView } from '../trace-view.ts';

/** Whether every row is listed, or each call with its answer in one. */
export function ViewSwitch({ view }: { readonly view: TraceView }) {
  const shown = useSignalled(view.signal, () => view.viewName);
  return (
    <WordSwitch
      label="Rows"
      value={shown}
      onChange={(viewName) => view.setViewName(viewName)}
      options={[
        { id: 'frames', label: 'Messages', hint: 'Every row, in the order of the wire' },
        { id: 'calls', label: 'Calls', hint: 'Answers folded into their requests' },
      ]}
    />
  );
}
