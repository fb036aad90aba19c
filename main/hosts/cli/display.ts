/** Why no window can be opened here, or null when one can. Only Linux runs without a display. */
export function whyNoWindow(): string | null {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform !== 'linux' || DISPLAY || WAYLAND_DISPLAY ? null : 'there is no display here';
}

/** Chromium, and so Electron, refuses to run as root in its sandbox. */
export const sandboxFlags = (): readonly string[] => (process.getuid?.() === 0 ? ['--no-sandbox'] : []);
