export interface HexLine {
  /** Eight hexadecimal digits, more where needed. */
  readonly offset: string;
  /** Two digits a byte. */
  readonly hex: readonly string[];
  /** One character a byte; a dot for what is no printable ASCII. */
  readonly ascii: readonly string[];
}

/** The line that begins at `offset`, of the bytes on it. */
export function hexLine(bytes: Uint8Array, offset: number): HexLine {
  const line = Array.from(bytes);
  return {
    offset: offset.toString(16).padStart(8, '0'),
    hex: line.map((byte) => byte.toString(16).padStart(2, '0')),
    ascii: line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')),
  };
}

export const bytesOfBase64 = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
