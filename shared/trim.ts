/**
 * A text without these characters at its end. A regular expression such as `/=+$/` looks for the end again from each of them,
 * which takes very long for a text that has many elsewhere.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** A text without these characters at both ends. */
export function withoutEnds(text: string, characters: string): string {
  const rest = withoutEnd(text, characters);
  let start = 0;
  while (start < rest.length && characters.includes(rest.charAt(start))) start++;
  return rest.slice(start);
}
