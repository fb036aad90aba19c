declare const brand: unique symbol;

/**
 * A value in which secrets were replaced. A server may repeat the secrets that it was sent anywhere, so what is derived
 * from its messages has to be redacted before it leaves the engine.
 */
export type Redacted<T> = T & { readonly [brand]: true };

/** Requires redaction: of each entry of a list, otherwise of the whole. Numbers and null hold no secrets. */
export type RequireRedacted<R> = R extends readonly (infer E)[]
  ? readonly Redacted<E>[]
  : R extends object
    ? Redacted<R>
    : R;
