/** Milliseconds between two looks at who our parent is. */
const LOOK_EVERY = 500;

/**
 * Ends us, in order, when npm is ended by a signal. npm passes it to its shell, but a shell such as dash dies
 * of it and leaves what it runs behind.
 */
export function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit();
  }, LOOK_EVERY);
  timer.unref();
}
