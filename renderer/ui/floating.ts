import { useSyncExternalStore } from 'react';

/**
 * Where menus, popovers and tooltips are put: inside the page's main landmark, so that they belong to it. Looked
 * up again once what was drawn is in place, because that may have brought another landmark.
 */
export const useFloatingPlace = (): HTMLElement | null => useSyncExternalStore(noChanges, floatingPlace);

const floatingPlace = (): HTMLElement | null => document.querySelector('main');

const noChanges = () => () => undefined;
