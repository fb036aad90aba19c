import { useSyncExternalStore } from 'react';

export type ColorScheme = 'dark' | 'light';

const systemIsLight = () => window.matchMedia('(prefers-color-scheme: light)');

/** What is on screen: `data-theme` on <html> when set, else what the system prefers. */
export function currentScheme(): ColorScheme {
  const forced = document.documentElement.dataset.theme;
  if (forced === 'dark' || forced === 'light') return forced;
  return systemIsLight().matches ? 'light' : 'dark';
}

/** Calls the listener when the scheme changes, until the returned function is called. */
export function onColorScheme(onChange: () => void): () => void {
  const system = systemIsLight();
  const observer = new MutationObserver(onChange);
  system.addEventListener('change', onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', onChange);
    observer.disconnect();
  };
}

/** For what cannot be styled by tokens alone, such as the editor. */
export const useColorScheme = (): ColorScheme => useSyncExternalStore(onColorScheme, currentScheme);

/** A token such as `--panel` as `#rrggbb`, in the scheme on screen. */
export function tokenColour(token: `--${string}`): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const channels = getComputedStyle(probe).color.match(/\d+/g) ?? [];
  probe.remove();
  const hex = (channel: string) => Number(channel).toString(16).padStart(2, '0');
  return `#${channels.slice(0, 3).map(hex).join('')}`;
}
