/** Characters that XML 1.0 cannot contain, even as references. */
// oxlint-disable-next-line no-control-regex -- these are the characters to replace
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as it is written in an attribute or an element of XML. */
export const xmlText = (text: string): string =>
  text
    .replace(notXml, '\ufffd')
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)
    .replaceAll(/[\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Microseconds as the seconds that JUnit wants. */
export const junitSeconds = (microseconds: number): string => (microseconds / 1_000_000).toFixed(6);
