/** What the recorder and exports write in place of a secret, such as `[secret header:Authorization, 40 characters, 1a2b3c4d]`. */
export const secretPlaceholders = /\[secret [^\]\n"\\]{1,120}, \d{1,12} characters, [\da-f]{8}\]/g;

const whole = new RegExp(`^${secretPlaceholders.source}$`);

/** Whether a text is a placeholder, and nothing else. */
export const isSecretPlaceholder = (text: string): boolean => whole.test(text);
