import { create } from 'zustand';

/** What the list asks about, one thing at a time. Files are told by their paths. */
export type Asked = { readonly what: 'delete' | 'rename'; readonly path: string } | { readonly what: 'keep' };

export const useAsked = create<{ readonly asked: Asked | null }>()(() => ({ asked: null }));

export const ask = (asked: Asked | null): void => useAsked.setState({ asked });

/** Ends a question, unless another one has taken its place. */
export const endAsking = (what: Asked['what']): void =>
  useAsked.setState(({ asked }) => ({ asked: asked?.what === what ? null : asked }));
