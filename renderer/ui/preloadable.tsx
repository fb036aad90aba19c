import { type ComponentType, lazy, useState } from 'react';

/**
 * A component in a script of its own. Once `load` has resolved it renders at once, before that it suspends.
 *
 * @param read imports the component; called again after a failure
 */
export function preloadable<P extends object>(
  read: () => Promise<ComponentType<P>>,
): { readonly Component: ComponentType<P>; readonly load: () => Promise<void> } {
  let loaded: ComponentType<P> | null = null;
  const load = async () => (loaded ??= await read());
  const Late = lazy(async () => ({ default: await load() }));
  return {
    load: async () => {
      await load();
    },
    Component: function Preloadable(props) {
      // The component must not change afterwards, or its state would be lost.
      const [Content] = useState(() => loaded ?? Late);
      return <Content {...props} />;
    },
  };
}
