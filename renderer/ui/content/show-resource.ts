import { createContext, useContext } from 'react';

/** Shows a resource that content links to in the pane of resources; null where there is no such pane. */
export const ShowResource = createContext<((uri: string) => void) | null>(null);

export const useShowResource = () => useContext(ShowResource);
