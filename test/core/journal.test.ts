import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAILURE_REASON_CODES } from '../../src/contract/failure-reasons.js';
import { apply } from '../../src/core/apply.js';
import { readCommand } from '../../src/core/state/command-schemas.js';
import type { JournalEntry } from '../../src/core/journal.js';
import { Replay } from '../../src/core/journal.js';
import { Refusal } from '../../src/contract/refusals.js';
import { exportWorld } from '../../src/core/state/export.js';
import { importWorld } from '../../src/core/state/import.js';
import type { World } from '../../src/core/world.js';
import { thrownBy } from '../helpers/thrown-by.js';
import { TestWorld } from '../helpers/core/world.js';

/** Any text that is JSON, as the line of a journal holds it. */
function entryOf(json: string): JournalEntry {
  return JSON.parse(json) as JournalEntry;
}

function begun(): Replay {
  return new Replay(new TestWorld().world);
}

describe('what is no entry is refused with what is wrong', () => {
  test.each([
    ['{"at":1,"command":{"type":"charge.explode"}}', 'There is no command "charge.explode".'],
    ['{"at":1,"command":{"type":"constructor"}}', 'There is no command "constructor".'],
    ['{"at":1,"command":{"type":"__proto__"}}', 'There is no command "__proto__".'],
    ['{"at":1,"command":{"type":"hasOwnProperty"}}', 'There is no command "hasOwnProperty".'],
    [
      '{"at":1,"command":{"__proto__":{"type":"clock.tick"}}}',
      'command.type: expected a string; got nothing.',
    ],
    ['{"at":1,"command":{"type":7}}', 'command.type: expected a string; got 7.'],
    ['{"at":1,"command":"clock.tick"}', 'command: expected an object; got "clock.tick".'],
    ['{"at":1}', 'command: expected an object; got nothing.'],
    ['{"command":{"type":"clock.tick"}}', 'entry.at: expected a number; got nothing.'],
    ['{"at":"now","command":{"type":"clock.tick"}}', 'entry.at: expected a number; got "now".'],
    ['{"at":1,"rate":"fast"}', 'entry.rate: expected a number from 0 up; got "fast".'],
    ['{"at":1,"rate":-1}', 'entry.rate: expected a number from 0 up; got -1.'],
    ['{"at":1,"rate":1,"world":null}', 'The state does not fit together: the world is not an object.'],
    ['[]', 'entry: expected an object; got [].'],
    [
      '{"at":1,"command":{"type":"charge.create","appId":"x"}}',
      'charge.create.charge: expected an object; got nothing.',
    ],
    [
      '{"at":1,"command":{"type":"charge.settle","chargeId":{"id":1}}}',
      'charge.settle.chargeId: expected a string; got {"id":1}.',
    ],
    [
      '{"at":1,"command":{"type":"charge.fail","chargeId":"x","reason":"rain"}}',
      `charge.fail.reason: expected one of ${FAILURE_REASON_CODES.join(', ')}; got "rain".`,
    ],
    [
      '{"at":1,"command":{"type":"trigger","event":"pix.settled","chargeFields":{"amountCents":"1"}}}',
      'trigger.chargeFields.amountCents: expected a whole number from 0 to 1000000000000; got "1".',
    ],
    [
      '{"at":1,"command":{"type":"fault.add","fault":{"match":{"on":"call"}}}}',
      'fault.add.fault.probability: expected a number; got nothing.',
    ],
    [
      String.raw`{"at":1,"command":{"type":"trigger","event":"pix.settled","chargeFields":{"metadata":{"\ud800":""}}}}`,
      String.raw`trigger.chargeFields.metadata: expected keys of whole characters; got {"\ud800":""}.`,
    ],
  ])('%s', (json, message) => {
    expect(thrownBy(() => begun().entry(entryOf(json)), Refusal).message).toBe(message);
  });
});

const JUNK: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  0.5,
  1e300,
  '',
  '__proto__',
  {},
  [],
  [null],
  { a: 1 },
];

/** The same command with something else in each place in turn, inner ones also. */
function* spoilt(value: object): Generator<object> {
  for (const [key, item] of Object.entries(value)) {
    for (const junk of JUNK) yield Array.isArray(value) ? [junk] : { ...value, [key]: junk };
    if (typeof item !== 'object' || item === null) continue;
    for (const inner of spoilt(item as object)) yield { ...value, [key]: inner };
  }
}

/** How many were let through. Whatever is not refused before has to be done or refused, and never to break. */
function spoil(world: World, command: object, at: number): number {
  let count = 0;
  for (const other of spoilt(command)) {
    try {
      const read = readCommand(other);
      count += 1;
      apply(importWorld(exportWorld(world)), read, at);
    } catch (error) {
      if (!(error instanceof Refusal)) throw new Error(JSON.stringify(other), { cause: error });
    }
  }
  return count;
}

test('a command of which any part was changed is refused or done, and never breaks', () => {
  const lives = readFileSync(join(import.meta.dirname, 'golden', 'journals.ndjson'), 'utf8').trimEnd();
  const seen = new Map<string, number>();
  let count = 0;
  for (const line of lives.split('\n')) {
    const replay = new Replay();
    for (const entry of (JSON.parse(line) as { readonly entries: readonly JournalEntry[] }).entries) {
      if ('command' in entry) {
        const { type } = entry.command;
        const times = seen.get(type) ?? 0;
        seen.set(type, times + 1);
        if (times < 2) count += spoil(replay.world, entry.command, entry.at);
      }
      replay.entry(entry);
    }
  }
  expect(seen.size).toBeGreaterThan(15);
  expect(count).toBeGreaterThan(100);
});
