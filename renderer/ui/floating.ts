/** Where menus, popovers and tooltips are put: inside the page's main landmark, so that they belong to it. */
export const floatingPlace = (): HTMLElement | null => document.querySelector('main');
