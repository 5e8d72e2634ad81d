import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  listReferences,
  findReferenceIssues,
  resolveReferences,
  UnknownReferenceError,
} from '../../src/scenario/references.js';

const NAMES = new Map<string, unknown>([
  ['order', { id: 'abc', amount: '10.00', fees: { net: '9.20' }, rows: [{ id: 1 }], none: null }],
  ['run', '1'],
]);

describe('a reference', () => {
  test.each([
    ['${order.id}', 'abc'],
    ['${order.fees}', { net: '9.20' }],
    ['${order.rows.0.id}', 1],
    ['${order.none}', null],
    ['/x/${order.id}/y-${run}', '/x/abc/y-1'],
    ['+${order.fees.net} ${order.rows.0.id} ${order.none}', '+9.20 1 null'],
    ['costs $${order.id}', 'costs ${order.id}'],
    ['$${order.id} ${run}', '${order.id} 1'],
    [
      { a: ['${run}'], '${run}': 1 },
      { a: ['1'], '${run}': 1 },
    ],
    ['$ {run} $', '$ {run} $'],
  ])('%j becomes %j', (text, value) => {
    expect(resolveReferences(text, NAMES)).toEqual(value);
  });

  test.each([
    ['${order.ids}', '${order.ids}: order has no field ids. Did you mean id?'],
    [
      '${order.fees.net.cents}',
      '${order.fees.net.cents}: order.fees.net has no field cents. Known fields: none.',
    ],
    ['${order.rows.1}', '${order.rows.1}: order.rows has no field 1. Did you mean 0?'],
    ['${order.toString}', '${order.toString}: order has no field toString.'],
    ['a ${order.fees}', '${order.fees} is not a single value and cannot be part of a string.'],
  ])('%s is unresolved, and the message lists the existing names', (text, message) => {
    expect(() => resolveReferences(text, NAMES)).toThrow(UnknownReferenceError);
    expect(() => resolveReferences(text, NAMES)).toThrow(message);
  });

  test('leaves a value without references unchanged', () => {
    const value = fc.jsonValue().filter((one) => !JSON.stringify(one).includes('${'));
    fc.assert(
      fc.property(value, (one) => {
        expect(resolveReferences(one, NAMES)).toEqual(one);
      }),
    );
  });

  test('a reference is checked by its name before anything runs', () => {
    expect(listReferences({ a: '${order.id}', b: ['x ${run}', '$${no}'] })).toEqual(['order', 'run']);
    const wrong = { a: '${oder.id}', b: ['${}', '${run'], c: '${run} $${nothing}' };
    expect(findReferenceIssues(wrong, ['x'], ['order', 'run'])).toEqual([
      { path: ['x', 'a'], message: 'No earlier step has the name oder. Did you mean order?' },
      {
        path: ['x', 'b', 0],
        message: expect.stringContaining('Expected a reference such as ${order.id}; got ${}.'),
      },
      { path: ['x', 'b', 1], message: expect.stringContaining('The reference ${run has no closing }.') },
    ]);
  });
});
