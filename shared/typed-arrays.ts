/** Copies a typed array into a larger one; returns the larger one. */
export function grown<A extends { set(from: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
