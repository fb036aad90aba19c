import { useSyncExternalStore } from 'react';

/**
 * The container of menus, popovers and tooltips: the page's main landmark. Looked up again after each commit, which may
 * have replaced the landmark.
 */
export const useFloatingPlace = (): HTMLElement | null => useSyncExternalStore(noChanges, floatingPlace);

const floatingPlace = (): HTMLElement | null => document.querySelector('main');

const noChanges = () => () => undefined;
