/** The element that had the focus or was pressed last, and all that contain it, from the inside out. */
let path: readonly EventTarget[] = [];

const note = (event: Event): void => {
  path = event.composedPath();
};

for (const name of ['focusin', 'pointerdown']) document.addEventListener(name, note, true);

/**
 * Where keys belong: the focused element. If nothing has the focus, what was pressed last, or what is left of the place where
 * the focus was when its element went away, such as a button that was pressed.
 */
export function placeOfFocus(): Element {
  const { activeElement, body } = document;
  if (activeElement !== null && activeElement !== body) return activeElement;
  return path.find((one): one is Element => one instanceof Element && one.isConnected) ?? body;
}
