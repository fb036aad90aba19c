import { expect, test } from 'vitest';
import { memorySecrets } from './secrets.ts';

test('holds a secret until it is replaced or removed, for itself alone, and says that it does not last', async () => {
  const secrets = memorySecrets();
  expect(await secrets.get('key')).toBeNull();
  await secrets.set('key', 'first');
  await secrets.set('key', 'second');
  expect(await secrets.get('key')).toBe('second');
  expect(await memorySecrets().get('key')).toBeNull();
  await secrets.remove('key');
  await secrets.remove('key');
  expect(await secrets.get('key')).toBeNull();
  expect(secrets.isPersistent).toBe(false);
});
