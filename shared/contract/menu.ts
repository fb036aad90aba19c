import { z } from 'zod';

/** The menus of the desktop window that the page's commands are in, in their order; the other menus are the system's. */
export const menuNames = ['File', 'Session', 'Pane', 'Trace', 'Go'] as const;

/** A command of the page, as the native menus show it. */
export const menuCommandSchema = z.object({
  id: z.string(),
  title: z.string(),
  menu: z.enum(menuNames),
  /** The part of the menu; parts are apart from each other. */
  part: z.string(),
  /** Whether its part is a menu of its own inside the menu. */
  isSubmenu: z.boolean().exactOptional(),
  /** The shortcut as keys are labelled, such as `Mod+K`. The page handles it; the menu only shows it. */
  shortcut: z.string().exactOptional(),
  /** Whether its keys work only while the focus is where it belongs, which the page alone knows. */
  needsFocus: z.boolean().exactOptional(),
});
export type MenuCommand = z.infer<typeof menuCommandSchema>;
