import { expect, onTestFinished, test } from 'vitest';
import {
  FaultFileError,
  parseFaultFile,
  parseIncidentFile,
  restoreFaultsOnReset,
} from '../../../src/sandbox/faults/fault-file.js';
import { Sandbox } from '../../../src/sandbox/sandbox.js';
import { deliveryFault } from '../../helpers/core/fault-commands.js';
import { START_MS } from '../../helpers/core/world.js';
import { thrownBy } from '../../helpers/thrown-by.js';

const DUPLICATE = { action: 'duplicate', event: 'pix.settled', parallel: true, nth: 1 };
const RESTART = { action: 'restart', event: 'pix.settled' };

const read = (text: string, noRestart?: string) => parseFaultFile('faults.json', text, noRestart);

test('a fault file is a list, or an object with them, their seed and what they are about', () => {
  expect(read(JSON.stringify([DUPLICATE]))).toEqual({ faults: [DUPLICATE] });
  expect(read('[]')).toEqual({ faults: [] });
  const whole = { faults: [DUPLICATE], seed: '7', about: 'The second copy is credited.' };
  expect(read(`\uFEFF${JSON.stringify(whole)}`)).toEqual(whole);
});

test.each([
  ['', /^faults\.json:1:1 is not JSON/],
  ['[{"action":"duplicate",}]', /^faults\.json:1:24 is not JSON/],
  ['7', /^faults\.json:1:1: Expected/],
  ['{}', /^faults\.json:1:1 faults: Expected a fault file with the field faults/],
  ['{"faults":{}}', /^faults\.json:1:2 faults: Expected/],
  ['{"fault":[],"faults":[]}', /Unknown field "fault".*Did you mean faults/],
  ['{"seed":1.5,"faults":[]}', /^faults\.json:1:2 seed: Expected a string; got 1\.5/],
  ['[7]', /^faults\.json:1:2 \[0\]: Expected a JSON object; got 7/],
  ['[{"action":"duplicat"}]', /^faults\.json:1:3 \[0\]\.action: .*duplicate/],
  ['[\n{"action":"duplicate"},\n  {"action":"duplicate","nth":0}]', /^faults\.json:3:25 \[1\]\.nth: /],
  ['{"faults":[{"action":"duplicate","evnt":"x"}]}', /^faults\.json:1:34 faults\[0\]\.evnt: /],
])('rejects %j with its position', (text, message) => {
  const error = thrownBy(() => read(text), FaultFileError);
  expect(error.message).toMatch(message);
  expect(error.hint).toContain('"action": "duplicate"');
});

test('an incident file has the format of the control API, and issues have positions', () => {
  const incident = { name: 'bank', duration: '10m', faults: [{ action: 'hold' }] };
  expect(parseIncidentFile('bank.json', JSON.stringify(incident))).toEqual(incident);
  const broken = () => parseIncidentFile('bank.json', '{"name":"bank",\n "duration":"10m","fault":[]}');
  const error = thrownBy(broken, FaultFileError);
  expect(error.message).toBe(
    'bank.json:2:19 fault: Unknown field "fault" in an incident. Did you mean faults?',
  );
  expect(error.hint).toContain('"duration": "10m"');
});

test('faults are restored after a reset with their windows from then on', () => {
  let realNowMs = START_MS;
  const sandbox = new Sandbox({ seed: 'test', realNow: () => realNowMs });
  onTestFinished(() => sandbox.close());
  const fault = deliveryFault('hold', { from: START_MS + 1_000, forMs: 5_000 });
  sandbox.dispatch({ type: 'fault.add', fault });
  restoreFaultsOnReset(sandbox);
  realNowMs += 60_000;
  sandbox.dispatch({ type: 'clock.tick' });
  expect(sandbox.world.faults.size).toBe(0);
  sandbox.reset();
  const windows = Array.from(sandbox.world.faults.values(), ({ from, until }) => [from, until]);
  expect(windows).toEqual([[START_MS + 61_000, START_MS + 66_000]]);
});

test('a restart is an issue if nothing can restart the application', () => {
  expect(read(JSON.stringify([RESTART]))).toEqual({ faults: [RESTART] });
  const { message } = thrownBy(() => read(JSON.stringify({ faults: [RESTART] }), 'Say how.'), FaultFileError);
  expect(message).toBe('faults.json:1:13 faults[0].action: Say how.');
});
