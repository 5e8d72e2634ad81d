import { isoTime } from '../../contract/time.js';
import type { Recording } from './recording.js';
import { replayedReceiver } from './recorded-deliveries.js';
import { RecordedSteps } from './recorded-steps.js';
import { timelineOf } from './recorded-timeline.js';

const SCHEMA = './node_modules/pix-sandbox/fixtures/scenarios/scenario.schema.json';

/**
 * The text of a scenario that repeats a recording, and expects the same events and results of deliveries. It leaves out what the
 * sandbox does not report: refused calls, faults, and the order of different things in one instant of a frozen clock.
 */
export function recordedScenario(recording: Recording): string {
  const receiver = replayedReceiver(recording);
  const timeline = timelineOf(recording, receiver);
  const steps = new RecordedSteps(recording, receiver);
  for (const happening of timeline) steps.add(happening);
  const chosen = recording.assumptions.filter((one) => one.choices !== null && one.value !== one.default);
  const head = {
    $schema: SCHEMA,
    description: 'What happened in a sandbox, as it was recorded.',
    sandbox: {
      freeze: isoTime(timeline[0]?.at ?? Date.parse(recording.now)),
      assume:
        chosen.length === 0 ? undefined : Object.fromEntries(chosen.map(({ id, value }) => [id, value])),
    },
  };
  const members = Object.entries(head).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${onOneLine(value)}`,
  );
  const lines = steps.finished().map((step) => `    ${onOneLine(step)}`);
  return `{\n${[...members, `  "steps": [\n${lines.join(',\n')}\n  ]`].join(',\n')}\n}\n`;
}

/** JSON on one line, with spaces between its parts. */
function onOneLine(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
}
