import { create } from 'zustand';
import type { AppInfo } from '#shared/contract/app.ts';

/** Facts about the engine and its host; null until the window has started. */
export const useAppInfo = create<{ info: AppInfo | null }>()(() => ({ info: null }));

export const rememberAppInfo = (info: AppInfo): void => useAppInfo.setState({ info });
