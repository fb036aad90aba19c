/** Characters of a tooltip. */
const MAX_TITLE = 2_000;

/**
 * Gives every text that is cut off by its box a tooltip with the whole text, when the pointer comes over it. A place with a tooltip
 * of its own keeps that.
 */
export function showCutTexts(): () => void {
  const onOver = ({ target }: Event) => {
    for (let place = target; place instanceof HTMLElement; place = place.parentElement) {
      if (place.title !== '' && place.dataset.cut === undefined) return;
      if (isCut(place)) {
        place.dataset.cut = '';
        place.title = place.innerText.trim().slice(0, MAX_TITLE);
        return;
      }
      if (place.dataset.cut === undefined) continue;
      delete place.dataset.cut;
      place.removeAttribute('title');
    }
  };
  document.addEventListener('pointerover', onOver);
  return () => document.removeEventListener('pointerover', onOver);
}

/** Whether a text ends in an ellipsis because its box is too small. */
function isCut(element: HTMLElement): boolean {
  if (element.scrollWidth <= element.clientWidth) return false;
  const { overflowX, textOverflow } = getComputedStyle(element);
  return textOverflow === 'ellipsis' && overflowX !== 'visible';
}
