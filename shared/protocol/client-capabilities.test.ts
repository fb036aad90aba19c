import { describe, expect, test } from 'vitest';
import { capabilityRows } from './capabilities.ts';
import { defaultClientCapabilities } from './client-capabilities.ts';
import { revisions } from './revisions.ts';

describe('what we announce', () => {
  test.each(revisions.map(({ id }) => id))('in %s is what that revision has', (revision) => {
    const declared = defaultClientCapabilities(revision);
    const rows = capabilityRows('client', declared, revision).filter(({ value }) => value !== undefined);
    expect(rows.filter(({ inRevision }) => !inRevision)).toEqual([]);
    expect(rows.map(({ path }) => path)).toContain('sampling');
  });

  test.each([
    ['2024-11-05', ['roots', 'sampling']],
    ['2025-03-26', ['roots', 'sampling']],
    ['2025-06-18', ['elicitation', 'roots', 'sampling']],
    ['2025-11-25', ['elicitation', 'roots', 'sampling', 'tasks']],
    ['2026-07-28', ['elicitation', 'extensions', 'roots', 'sampling']],
    ['2199-01-01', ['elicitation', 'roots', 'sampling', 'tasks']],
  ])('in %s are %j', (revision, names) => {
    expect(Object.keys(defaultClientCapabilities(revision)).toSorted()).toEqual(names);
  });
});
