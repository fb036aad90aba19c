import { create } from 'zustand';
import { keepChoice } from './place.ts';

type ResultView = 'content' | 'raw';

const useStore = create<{ readonly view: ResultView }>()(() => ({ view: 'content' }));

keepChoice(useStore, {
  name: 'result-view',
  values: ['content', 'raw'],
  get: ({ view }) => view,
  set: (view) => ({ view }),
});

/** How results of tools are shown wherever they are: their content, or the JSON that was received. */
export const useResultView = (): ResultView => useStore(({ view }) => view);

export const setResultView = (view: ResultView): void => useStore.setState({ view });
