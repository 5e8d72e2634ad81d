import { expect, test } from 'vitest';
import { ControlClient, fetchTransport } from '../../../src/client/control.js';
import type { Action } from '../../../src/console/model/actions.js';
import { endpointActions } from '../../../src/console/pages/endpoints/actions.js';
import { faultActions } from '../../../src/console/pages/faults/actions.js';
import { identityActions } from '../../../src/console/pages/identity/actions.js';
import { STATE_FILE, stateActions } from '../../../src/console/pages/saved/actions.js';
import { SCENARIO_FILE, scenarioActions } from '../../../src/console/pages/scenarios/actions.js';
import { EN } from '../../../src/console/words/words.js';
import { EVENT_TYPES } from '../../../src/contract/events.js';
import { stateFile } from '../../../src/sandbox/state-file.js';
import { runLine } from '../../helpers/cli/cli-line.js';
import type { CliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { cliSandbox } from '../../helpers/cli/cli-sandbox.js';
import type { TempFolder } from '../../helpers/temp-folder.js';
import { tempFolder } from '../../helpers/temp-folder.js';

const HOSTILE = `it's "$(echo)" -- \`x\``;
const secrets = new Map<string, string>();
const endpoints = endpointActions(EN, secrets);
const faults = faultActions(EN);
const identity = identityActions(EN);
const state = stateActions(EN);
const scenarios = scenarioActions(EN);

/** One of two sandboxes of the same seed: in one a button is pressed, in the other the command beside it is typed. */
interface Twin extends CliSandbox {
  readonly client: ControlClient;
  readonly folder: TempFolder;
}

function twin(sandbox: CliSandbox, folder: TempFolder): Twin {
  const { url, fetch } = sandbox.server;
  const transport = fetchTransport(url, (target, init) => fetch(new Request(url + target, init), {}));
  return { ...sandbox, client: new ControlClient(transport), folder };
}

/** What a sandbox holds, without what lies outside of its world. */
async function stateOf({ client, server: { sandbox } }: Twin): Promise<unknown> {
  const { data } = await client.get('state/snapshots');
  return { snapshots: data, state: stateFile({ world: sandbox.world, rate: sandbox.clock.rate }) };
}

const firstOf = (rows: Iterable<{ readonly id: string }>): string => [...rows][0]?.id ?? '';
const endpointOf = ({ server: { sandbox } }: Twin) => firstOf(sandbox.world.endpoints.values());
const faultOf = ({ server: { sandbox } }: Twin) => firstOf(sandbox.world.faults.values());
const sessionOf = ({ server: { sandbox } }: Twin, index = 0) => sandbox.world.sessions.rows[index]?.id ?? '';

const ANYWHERE = { routes: new Map<string, string>(), allowLocalEndpoints: true };
const EXPORTED = "it's a state.json";

type Step = (twin: Twin) => Action;

const LOCAL = 'http://localhost:9/webhooks';
const STEPS: readonly Step[] = [
  () => endpoints.pause,
  () => endpoints.create({ url: LOCAL, events: [], description: undefined, app: undefined }, EVENT_TYPES),
  () =>
    endpoints.create(
      {
        url: `${LOCAL}/?a=1&b='2`,
        events: ['pix.settled', 'pix.failed'],
        description: HOSTILE,
        app: 'default',
      },
      EVENT_TYPES,
    ),
  (at) => endpoints.disable(endpointOf(at)),
  (at) => endpoints.enable(endpointOf(at)),
  (at) => endpoints.rotate(endpointOf(at)),
  (at) => endpoints.retryFailed(endpointOf(at)),
  () => endpoints.resume,
  (at) =>
    faults.add({
      on: 'delivery',
      action: 'delay',
      event: 'pix.*',
      endpoint: endpointOf(at),
      attempt: 2,
      delay: '1s500ms',
      probability: 0.5,
      count: 3,
    }),
  () =>
    faults.add({ on: 'call', action: 'status', door: 'api', method: 'POST', path: '/api/*', status: 503 }),
  () => faults.add({ on: 'call', action: 'delay', delay: '3s' }),
  () => faults.add({ on: 'delivery', action: 'duplicate', copies: 2 }),
  (at) => faults.remove(faultOf(at)),
  () => faults.removeAll,
  () => identity.create('business', 'default'),
  () => identity.create('individual', undefined),
  (at) => identity.decide(sessionOf(at), { error: 'CAMERA_DENIED' }),
  (at) => identity.decide(sessionOf(at), { status: 'approved', document: '11.222.333/0001-81', delay: '5m' }),
  (at) => identity.decide(sessionOf(at, 1), { status: 'under_review' }),
  (at) => identity.decide(sessionOf(at, 1), { status: 'rejected' }),
  () => state.save('before'),
  () => state.save('-dash'),
  (at) => endpoints.delete(endpointOf(at)),
  () => state.compare('before', '-dash', () => {}),
  () => state.compare('before', undefined, () => {}),
  () => state.restore('before'),
  () => state.drop('-dash'),
  () => state.reset,
  ({ folder }) => state.import(EXPORTED, JSON.parse(folder.read(EXPORTED).toString()) as object),
];

test('every button does what the command beside it does', async () => {
  using folder = tempFolder();
  await using first = await cliSandbox({ policy: ANYWHERE });
  await using second = await cliSandbox({ policy: ANYWHERE });
  const [pressed, typed] = [twin(first, folder), twin(second, folder)];
  folder.write(EXPORTED, JSON.stringify(await pressed.client.get('state')));
  for (const step of STEPS) {
    const { command, run } = step(pressed);
    expect(step(typed).command).toBe(command);
    await run(pressed.client);
    const ran = await runLine(command ?? '', { env: { SANDBOX_URL: typed.server.url }, cwd: folder.path });
    expect([command, ran]).toEqual([command, { ...ran, exitCode: 0 }]);
    expect([command, await stateOf(typed)]).toEqual([command, await stateOf(pressed)]);
  }
});

test('a scenario runs, is recorded and a state is exported by the commands that are shown', async () => {
  using folder = tempFolder();
  await using sandbox = await cliSandbox();
  folder.write('own scenario.json', JSON.stringify({ steps: [{ advance: '1h' }] }));
  const actions = [
    scenarios.run({ name: 'paid', fresh: true }, () => {}),
    scenarios.run({ name: 'own scenario.json', scenario: {}, fresh: false }, () => {}),
    scenarios.record(undefined, () => {}),
    state.export(() => {}),
  ];
  for (const { command } of actions) {
    const ran = await runLine(command ?? '', { env: { SANDBOX_URL: sandbox.server.url }, cwd: folder.path });
    expect([command, ran]).toEqual([command, { ...ran, exitCode: 0 }]);
  }
  const recorded = JSON.parse(folder.read(SCENARIO_FILE).toString()) as object;
  expect(recorded).toHaveProperty('steps');
  expect(JSON.parse(folder.read(STATE_FILE).toString())).toHaveProperty('world');
});
