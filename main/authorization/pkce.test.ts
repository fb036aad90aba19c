import { expect, test } from 'vitest';
import { challengeOf, createState, createVerifier, isSameSecret } from './pkce.ts';

test('the challenge is that of RFC 7636 appendix B', () => {
  expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});

test('each verifier and each state is new and has only the characters allowed', () => {
  const verifiers = Array.from({ length: 20 }, createVerifier);
  expect(new Set(verifiers).size).toBe(20);
  for (const verifier of verifiers) expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const states = Array.from({ length: 20 }, createState);
  expect(new Set(states).size).toBe(20);
  for (const state of states) expect(state).toMatch(/^[A-Za-z0-9_-]{22}$/);
});

test('compares values of any length', () => {
  expect(isSameSecret('abc', 'abc')).toBe(true);
  expect(isSameSecret('abc', 'abd')).toBe(false);
  expect(isSameSecret('abc', 'abcd')).toBe(false);
  expect(isSameSecret('', '')).toBe(true);
});
