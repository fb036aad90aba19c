import { create } from 'zustand';
import { call, on } from '#bridge';
import {
  type ConfirmationLevel,
  confirmationLevel,
  defaultSettings,
  type Settings,
} from '#shared/contract/settings.ts';
import { followValue } from './follow.ts';

/** Settings that are not about one server. */
export const useSettings = create<Settings>()(() => defaultSettings);

/** Rejects when the settings file cannot be parsed; the defaults apply until it can. */
export const followSettings = (): Promise<void> =>
  followValue({
    read: () => call('settings/read', {}),
    listen: (changed) => on('settings/changed', changed),
    set: (settings: Settings) => useSettings.setState(settings),
  }).loaded;

/** Sets the colours of the page: `data-theme` if they do not follow the system, `data-contrast` for high contrast. */
function applyTheme(): void {
  const { theme } = useSettings.getState();
  const { dataset } = document.documentElement;
  if (theme === 'light' || theme === 'dark') dataset.theme = theme;
  else delete dataset.theme;
  if (theme === 'high-contrast' || (theme === 'system' && systemContrast?.matches)) dataset.contrast = 'more';
  else delete dataset.contrast;
}

const systemContrast = window.matchMedia?.('(prefers-contrast: more)');
systemContrast?.addEventListener('change', applyTheme);
useSettings.subscribe(applyTheme);
applyTheme();

/** Changes settings, on screen immediately. Rejects when they cannot be saved. */
export async function changeSettings(changes: Partial<Settings>): Promise<void> {
  useSettings.setState(changes);
  useSettings.setState(await call('settings/write', changes));
}

/** Which runs of a server's tools the user confirms. */
export const useConfirmationLevel = (serverId: string): ConfirmationLevel =>
  useSettings((settings) => confirmationLevel(settings, serverId));

/** Rejects when it cannot be saved. */
export function setConfirmationLevel(serverId: string, level: ConfirmationLevel): Promise<void> {
  const others = useSettings.getState().toolConfirmations.filter((one) => one.serverId !== serverId);
  return changeSettings({ toolConfirmations: [...others, { serverId, level }] });
}

export const confirmationLabels: Readonly<Record<ConfirmationLevel, string>> = {
  'first-run': 'Each tool’s first run, and destructive tools',
  destructive: 'Destructive tools',
  never: 'Never (I trust this server)',
};

/** Which tools are destructive in these labels. */
export const DESTRUCTIVE_MEANS =
  'A tool is destructive if the server sets destructiveHint: true, and not readOnlyHint: true.';
