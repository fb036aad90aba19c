import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** The first frame of a page: the token of its address, or the secret that an earlier token was exchanged for. */
const firstFrameSchema = z.union([z.object({ token: z.string() }), z.object({ secret: z.string() })]);

/** Decides who may speak to the engine. */
export interface Admission {
  /** A new token, 256 random bits, good for one page. It replaces a token that nobody has used. */
  mintToken(): string;
  /** The secret of the page that sent this first frame; null if the page is rejected. */
  admit(firstFrame: unknown): string | null;
}

export function createAdmission(): Admission {
  let token: Buffer | null = null;
  const secrets: Buffer[] = [];

  function exchange(given: string): string | null {
    if (token === null || !timingSafeEqual(digest(given), token)) return null;
    token = null;
    const secret = randomName();
    secrets.push(digest(secret));
    return secret;
  }

  return {
    mintToken() {
      const minted = randomName();
      token = digest(minted);
      return minted;
    },
    admit(firstFrame) {
      const frame = firstFrameSchema.safeParse(firstFrame).data;
      if (frame === undefined) return null;
      if ('token' in frame) return exchange(frame.token);
      const given = digest(frame.secret);
      return secrets.some((secret) => timingSafeEqual(secret, given)) ? frame.secret : null;
    },
  };
}

const randomName = (): string => randomBytes(32).toString('base64url');

/** Compares digests, which have one length, so the time does not depend on the text. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
