import { type ComponentProps, createContext, type ReactNode, useContext } from 'react';
import { MaximizeButton } from './maximize-button.tsx';

/** How a form in place of the pane takes the room of the trace; null where there is no trace. */
export const MaximizeForm = createContext<Omit<ComponentProps<typeof MaximizeButton>, 'of'> | null>(null);

/** The bar over a form that replaces the pane: its title, its buttons, and one that gives it all the room. */
export function FormHeader({
  title,
  beside,
  children,
}: {
  readonly title: string;
  /** What comes after the title. */
  readonly beside?: ReactNode;
  /** The buttons. */
  readonly children: ReactNode;
}) {
  const maximize = useContext(MaximizeForm);
  return (
    <header className="flex h-9 shrink-0 items-center gap-3 border-b border-line bg-panel pr-2.5 pl-4">
      <h2 className="min-w-0 truncate font-semibold">{title}</h2>
      {beside}
      <div className="ml-auto flex shrink-0 items-center gap-2">
        {children}
        {maximize && <MaximizeButton of="form" {...maximize} />}
      </div>
    </header>
  );
}
