import { create } from 'zustand';
import { type ResultView, resultViews } from '#shared/contract/place.ts';
import { keepChoice } from './place.ts';

const useStore = create<{ readonly view: ResultView }>()(() => ({ view: 'content' }));

keepChoice(useStore, {
  name: 'result-view',
  values: resultViews,
  get: ({ view }) => view,
  set: (view) => ({ view }),
});

/** How results of tools are shown wherever they are: their content, or the JSON that was received. */
export const useResultView = (): ResultView => useStore(({ view }) => view);

export const setResultView = (view: ResultView): void => useStore.setState({ view });
