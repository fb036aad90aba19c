import { type editor, Range } from 'monaco-editor/editor/editor.api.js';
import { hiddenCharacters } from '#shared/hidden-characters.ts';
import { visibleText } from '../visible.ts';
import './hidden-characters.css';

/** So many are named in one text; a text with more is hostile, and each costs layout. */
const MAX_SHOWN = 2000;

/** Names each character of an editor that nobody would see, before it, as the rest of the page does. The text stays as it is. */
export function nameHiddenCharacters(shown: editor.ICodeEditor): void {
  const names = shown.createDecorationsCollection();
  const update = (): void => {
    const model = shown.getModel();
    if (model === null) return;
    const decorations: editor.IModelDeltaDecoration[] = [];
    for (const { index, character } of hiddenCharacters(model.getValue())) {
      if (character === '\n' || character === '\t') continue;
      if (decorations.length >= MAX_SHOWN) break;
      const start = model.getPositionAt(index);
      const end = model.getPositionAt(index + character.length);
      decorations.push({
        range: Range.fromPositions(start, end),
        options: { before: { content: visibleText(character), inlineClassName: 'hidden-character' } },
      });
    }
    names.set(decorations);
  };
  shown.onDidChangeModelContent(update);
  shown.onDidChangeModel(update);
  update();
}
