import { expect, test } from 'vitest';
import { droppedAfter, dropNotes, withDropped } from './dropped-parameters.ts';

const where = 'the authorization request';

test.each(['resource', 'scope', 'nonce', 'redirect_uri'] as const)(
  '%s that was switched off stays off, and its note says where that was',
  (name) => {
    const dropped = droppedAfter({}, { planned: [name, 'state'], sent: ['state'], where, always: [] });
    expect(dropped).toEqual({ [name]: where });
    expect(dropNotes({ dropped: [] }, dropped)).toEqual({
      [name]: 'off: switched off in the authorization request',
    });
  },
);

test('what the settings leave out is not kept as a choice of the flow', () => {
  const always = ['resource'] as const;
  const sent = { planned: ['resource'], sent: [], where, always: [...always] };
  expect(droppedAfter({}, sent)).toEqual({});
  expect(dropNotes({ dropped: [...always] }, {})).toEqual({
    resource: 'off: switched off in the settings',
  });
});

test('a parameter that was switched on again is sent from then on, against the settings too', () => {
  const sent = { planned: ['resource'], sent: ['resource'], where };
  expect(droppedAfter({ resource: where }, { ...sent, always: [] })).toEqual({});
  const again = droppedAfter({}, { ...sent, always: ['resource'] });
  expect(again).toEqual({ resource: null });
  expect(dropNotes({ dropped: ['resource'] }, again)).toEqual({});
  // Switched off once more, the settings say why.
  expect(droppedAfter(again, { planned: ['resource'], sent: [], where, always: ['resource'] })).toEqual({});
});

test('the first request that left it out is the reason, and what a request cannot have stays as it was', () => {
  const before = { resource: where, redirect_uri: where };
  expect(
    droppedAfter(before, { planned: ['resource'], sent: [], where: 'the token request', always: [] }),
  ).toEqual(before);
});

test('what a wrong value took out is no choice', () => {
  const sent = { planned: ['resource', 'scope'], sent: [], where, always: [], wrongName: 'resource' };
  expect(droppedAfter({}, sent)).toEqual({ scope: where });
});

test('every parameter of the name is switched off, and the others are as they were', () => {
  const fields = ['resource', 'state', 'resource'].map((name, at) => ({
    name,
    value: String(at),
    note: 'n',
  }));
  expect(withDropped(fields, { resource: 'off: x' })).toEqual([
    { name: 'resource', value: '0', isOn: false, note: 'off: x' },
    { name: 'state', value: '1', note: 'n' },
    { name: 'resource', value: '2', isOn: false, note: 'off: x' },
  ]);
});
