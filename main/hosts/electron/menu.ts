import { Menu, type MenuItemConstructorOptions } from 'electron';

const isMac = process.platform === 'darwin';

/** Sets the application's menu: the standard entries of desktop apps. */
export function setMenu(): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menus));
}

const menus: MenuItemConstructorOptions[] = [
  ...(isMac ? [{ role: 'appMenu' } as const] : []),
  { label: '&File', submenu: [{ role: isMac ? 'close' : 'quit' }] },
  { role: 'editMenu' },
  {
    label: '&View',
    submenu: [
      { role: 'reload' },
      { role: 'toggleDevTools' },
      { type: 'separator' },
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { type: 'separator' },
      { role: 'togglefullscreen' },
    ],
  },
  isMac ? { role: 'windowMenu' } : { label: '&Window', submenu: [{ role: 'minimize' }, { role: 'close' }] },
];
