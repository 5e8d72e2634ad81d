import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../src/scenario/parse.js';

function mistakesOf(...lines: string[]): string[] {
  const { issues } = parseScenario(lines.join('\n'));
  return issues.map(({ line, column, path, message }) => `${line}:${column} ${path} ${message}`);
}

/** The mistakes of a scenario of these steps, without their places. */
function inSteps(...steps: object[]): string[] {
  const { issues } = parseScenario(JSON.stringify({ steps }));
  return issues.map(({ path, message }) => `${path} ${message}`);
}

describe('parseScenario', () => {
  test('reports all issues together, each with its position', () => {
    expect(
      mistakesOf(
        '{',
        '  "nmae": "x",',
        '  "steps": [',
        '    { "create": { "charge": { "ammount": "10.00" } } },',
        '    { "trigger": "pix.setled" },',
        '    { "advance": "soon" },',
        '    { "settle": {} },',
        '    { "expect": { "events": { "status": "x" } }, "reset": true }',
        '  ]',
        '}',
      ),
    ).toEqual([
      '2:3 nmae Unknown field "nmae" in a scenario. Did you mean name?',
      '4:31 steps[0].create.charge.ammount Unknown field "ammount" in the fields of a charge. Did you mean amount?',
      expect.stringMatching(
        /^5:7 steps\[1\]\.trigger Expected an event: .*; got "pix\.setled"\. Did you mean pix\.settled\?$/,
      ),
      '6:7 steps[2].advance Expected a duration such as 45h, a time of day such as to 03:00Z, or next; got "soon".',
      '7:7 steps[3].settle Expected a payment to settle with exactly one of charge, withdrawal; got none.',
      expect.stringMatching(
        /^8:5 steps\[4\] Expected a step with exactly one of .*; got reset and expect\.$/,
      ),
      expect.stringMatching(
        /^8:31 steps\[4\]\.expect\.events\.status Unknown field "status" in a matcher of events\. Known fields/,
      ),
    ]);
  });

  test('locates text that is not JSON', () => {
    expect(mistakesOf('{', '  "steps": [', '  ],', '}')).toEqual([
      '4:1  This is not JSON: expected a key in double quotes, got "}".',
    ]);
  });

  test('names a repeated key, next to the other issues', () => {
    expect(mistakesOf('{"steps": [{"as": "order",', '"reset": true, "as": "env"}]}')).toEqual([
      '2:16 steps[0].as The key as appears twice.',
      '2:16 steps[0].as The name env is already used by the sandbox.',
    ]);
  });

  test('reads a file that starts with a byte order mark', () => {
    expect(parseScenario('\uFEFF{"steps":[{"reset":true}]}')).toMatchObject({ issues: [] });
  });

  test('resolves the names known at each step, and no later ones', () => {
    const create = { create: { charge: {} }, as: 'order' };
    expect(inSteps(create, { settle: { charge: '${order.id}' } })).toEqual([]);
    expect(inSteps({ settle: { charge: '${order.id}' } }, create)).toEqual([
      'steps[0].settle.charge No earlier step has the name order. Known names: env, run, receiver.',
    ]);
    expect(inSteps(create, { settle: { charge: '${oder.id}' } })).toEqual([
      'steps[1].settle.charge No earlier step has the name oder. Did you mean order?',
    ]);
    expect(inSteps(create, create, { ...create, as: 'env' })).toEqual([
      'steps[1].as The name order is already used by an earlier step.',
      'steps[2].as The name env is already used by the sandbox.',
    ]);
  });

  test('requires a receiver to be declared before it is used', () => {
    const message = 'No receiver is declared. Add "receiver": {} next to "steps".';
    expect(inSteps({ expect: { received: [] } })).toEqual([`steps[0].expect ${message}`]);
    expect(inSteps({ rotate: '${receiver.id}' })).toEqual([`steps[0].rotate ${message}`]);
    expect(inSteps({ receiver: {} }, { expect: { received: [] } })).toEqual([]);
    expect(
      inSteps({ receiver: { retries: 'fast' } }, { receiver: { answers: [200], retries: 'off' } }),
    ).toEqual([
      'steps[1].receiver.retries The receiver is already connected: set retries in its first declaration.',
    ]);
  });

  test('rejects an empty expectation, because it could not fail', () => {
    expect(inSteps({ expect: {} })).toEqual([
      'steps[0].expect Expected an expectation with at least one field; got none.',
    ]);
    expect(inSteps({ expect: { resutl: {} } })).toEqual([
      'steps[0].expect.resutl Unknown field "resutl" in an expectation. Did you mean result?',
    ]);
  });

  test.each<[string, object]>([
    ['settle.charge', { settle: { charge: 'a\ud800' } }],
    ['rotate', { rotate: '\udfff' }],
    ['resend', { resend: '\ud800' }],
    ['decide.session', { decide: { session: '\ud800', status: 'approved' } }],
    ['call.path', { call: { method: 'GET', path: '/\ud800' } }],
    ['expect.charge.id', { expect: { charge: { id: '\ud800' } } }],
    ['expect.result.session', { expect: { result: { session: '\ud800' } } }],
    ['note', { reset: true, note: '\ud800' }],
  ])('rejects a lone surrogate in %s', (place, step) => {
    expect(inSteps(step)).toEqual([`steps[0].${place} Must not contain lone surrogates.`]);
  });

  test('rejects a lone surrogate in a name, but not in the body of a request', () => {
    expect(mistakesOf('{"name": "\\ud800", "steps": [{"reset": true}]}')).toEqual([
      '1:2 name Must not contain lone surrogates.',
    ]);
    expect(inSteps({ call: { method: 'POST', path: '/', body: { code: '\ud800' } } })).toEqual([]);
  });

  test('reports an empty list', () => {
    expect(inSteps({ receiver: { answers: [] } })).toEqual([
      'steps[0].receiver.answers Expected a list of one or more replies; got an empty list.',
    ]);
  });

  test('accepts a word as a reference, but not as the name of a step', () => {
    expect(inSteps({ trigger: '${env.EVENT}' }, { advance: '${run}' })).toEqual([]);
    expect(inSteps({ reset: true, as: '${run}' })).toEqual([
      'steps[0].as Expected a name of unaccented letters, digits, underscores and hyphens; got "${run}".',
    ]);
  });

  test.each([null, [], 'x', {}, { steps: [] }, { steps: {} }])('rejects %j as a scenario', (value) => {
    expect(parseScenario(JSON.stringify(value)).issues.length).toBeGreaterThan(0);
  });
});
