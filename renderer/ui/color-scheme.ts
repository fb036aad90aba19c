type ColorScheme = 'dark' | 'light';

function systemIsLight(): MediaQueryList {
  return window.matchMedia('(prefers-color-scheme: light)');
}

/** The colour scheme: `data-theme` on <html> if set, else the system's preference. */
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
  observer.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-contrast'] });
  return () => {
    system.removeEventListener('change', onChange);
    observer.disconnect();
  };
}

/** The value of a token such as `--panel` as `#rrggbb`, in the current scheme. */
export function tokenColour(token: `--${string}`): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const channels = getComputedStyle(probe).color.match(/\d+/g) ?? [];
  probe.remove();
  const hex = (channel: string) => Number(channel).toString(16).padStart(2, '0');
  return `#${channels.slice(0, 3).map(hex).join('')}`;
}
