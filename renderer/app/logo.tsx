/** The mark: a round window, half full. */
export function Logo() {
  return (
    <span
      aria-hidden
      className="size-4 shrink-0 rounded-full border-2 border-accent bg-[linear-gradient(180deg,transparent_50%,var(--accent)_50%)]"
    />
  );
}
