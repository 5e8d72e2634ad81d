import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  getEnvironmentName,
  getSettingFlag,
  getOptionName,
  type SettingKey,
  SETTINGS,
} from '../../src/config/settings.js';
import { createConfigSchema } from '../../src/config/values.js';
import { ENGLISH_TEXTS, PORTUGUESE_TEXTS } from '../../src/console/words.js';
import {
  listOptionEvents,
  TRIGGER_NAMES,
  TRIGGER_OPTIONS,
  type TriggerOption,
} from '../../src/contract/trigger-options.js';
import { SCENARIO_SCHEMA } from '../../src/scenario/steps.js';
import { type JsonSchema, read } from '../../src/schema/schema.js';
import type { CreateSandboxOptions } from '../../src/testing/create-sandbox.js';
import { selectEnglish } from '../../src/text/i18n.js';
import { complete } from '../../src/cli/completion/complete.js';
import { createCommandPage, renderPage } from '../../src/cli/help.js';
import { listPaymentActions } from '../../src/console/model/actions.js';
import {
  createDecisionForm,
  createFaultForm,
  type FormSpec,
  createTriggerForm,
} from '../../src/console/model/forms.js';
import { EVENT_TYPES, type EventType } from '../../src/contract/enums.js';
import { FAULTS } from '../../src/contract/fault-kinds.js';
import * as tables from '../../src/contract/transitions.js';
import type { SessionView } from '../../src/http/control/schema.js';
import { createSandbox, type TriggerOptions } from '../../src/index.js';
import { createScenarioSchema } from '../../src/scenario/parse.js';
import type * as published from '../../src/public-types.js';
import { COMMANDS, TABLE } from '../helpers/cli/commands.js';
import { readDocuments } from '../helpers/openapi/openapi-documents.js';

// Walks each table and shows that its entries are on every surface where they belong.
const { control, service } = await readDocuments();
const scenario = JSON.stringify(createScenarioSchema());
const choicesOf = (form?: FormSpec) => form?.fields({})[0]?.choices?.map(([value]) => value);

async function completionsOf(line: string): Promise<readonly string[]> {
  const { candidates } = await complete(line.split(' '), { env: { XDG_STATE_HOME: '/none' }, cwd: '/none' });
  return candidates.map(({ value }) => value);
}

type Verbs = { [Kind in tables.PaymentKind as `${Kind}s`]: Record<tables.MoveOf<Kind>, unknown> };

describe.each(['charge', 'withdrawal'] as const)('a move of a %s', (kind) => {
  test.each(tables.listMoveNames(kind))(
    '%s is a route, command, completion, verb, step and button',
    async (name) => {
      expect(control.paths).toHaveProperty([`/_sandbox/${kind}s/{id}/${name}`, 'post']);
      expect(COMMANDS.map((command) => command.name)).toContain(`${kind}s ${name}`);
      expect(await completionsOf(`${kind}s `)).toContain(name);
      await using library: Verbs & AsyncDisposable = await createSandbox();
      expect(library[`${kind}s`]).toHaveProperty(name, expect.any(Function));
      expect(scenario).toContain(`"${name}":{`);
      const { from, button } = tables.getMove(kind, name);
      expect(button).toMatch(/^\S.* \| .*\S$/);
      expect(listPaymentActions(kind, { id: '', status: from[0] ?? '' })).toContainEqual(
        expect.objectContaining({ name, button }),
      );
    },
  );
});

test.each([
  ['charges list', tables.CHARGE_STATUSES],
  ['withdrawals list', tables.WITHDRAWAL_STATUSES],
  ['deliveries list', tables.DELIVERY_STATUSES],
  ['kyc list', tables.SESSION_STATUSES],
] as const)('the statuses of %s are completed and described', async (command, statuses) => {
  expect(await completionsOf(`${command} --status `)).toEqual(statuses);
  expect(JSON.stringify(control.components.schemas)).toContain(JSON.stringify(statuses));
});

test('each decision is in the library, scenarios, completion and the form of the console', async () => {
  expectTypeOf<published.SessionDecision>().toEqualTypeOf<tables.SessionDecision>();
  expect(scenario).toContain(JSON.stringify(tables.SESSION_DECISIONS));
  expect(await completionsOf('kyc decide kyc_1 ')).toEqual(tables.SESSION_DECISIONS);
  const offered = choicesOf(createDecisionForm({ id: '', status: 'CREATED' } as SessionView));
  expect(offered).toEqual(expect.arrayContaining([...tables.SESSION_DECISIONS]));
});

test('each event is in the document, library, scenarios, completion and the form of the console', async () => {
  expect(Object.keys(service.webhooks ?? {})).toEqual(EVENT_TYPES);
  expectTypeOf<published.EventType>().toEqualTypeOf<EventType>();
  expect(scenario).toContain(JSON.stringify(EVENT_TYPES));
  for (const line of ['trigger ', 'events list --type '])
    expect(await completionsOf(line)).toEqual(EVENT_TYPES);
  expect(choicesOf(createTriggerForm())).toEqual(EVENT_TYPES);
});

function commandNamed(name: string) {
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) throw new Error(`Expected a command ${name}.`);
  return command;
}

const flagsIn = (command: string) =>
  createCommandPage(commandNamed(command), TABLE).options.map(({ flags }) => flags.split(' ')[0]);

describe('trigger', () => {
  const OPTIONS = TRIGGER_NAMES.map((name) => [name, TRIGGER_OPTIONS[name] as TriggerOption] as const);

  test.each(OPTIONS)(
    '%s is an option of the command, with its description and completion',
    (name, option) => {
      const { description, values } = commandNamed('trigger').options[name] ?? {};
      expect(description).toBe(selectEnglish(option.description));
      expect(values !== undefined).toBe(option.choices !== undefined || option.rows !== undefined);
      expect(flagsIn('trigger')).toContain(`--${name}`);
    },
  );

  test('every option is described in the body of the control API', () => {
    const body = control.paths['/_sandbox/trigger']?.['post']?.requestBody;
    const { anyOf } = body?.content['application/json']?.schema ?? {};
    const bodies = anyOf as readonly { readonly properties: Readonly<Record<string, JsonSchema>> }[];
    expect(bodies).toHaveLength(2);
    for (const { properties } of bodies)
      for (const [name] of OPTIONS) expect(properties[name]).toHaveProperty('description');
  });

  test.each(OPTIONS)('%s is a field of the step of scenarios', (name) => {
    const trigger = { type: 'pix.settled', [name]: [] };
    const [mistake] = read(SCENARIO_SCHEMA, { steps: [{ trigger }] }).issues;
    expect(mistake).toMatchObject({ path: ['steps', 0, 'trigger', name], kind: 'value' });
  });

  test.each(OPTIONS)('%s is in the console form of its events, in both languages', (name, option) => {
    const fields = createTriggerForm().fields({ type: listOptionEvents(name)[0] ?? '' });
    expect(fields.find((field) => field.name === name)).toMatchObject({ label: ENGLISH_TEXTS.names[name] });
    expect(`${ENGLISH_TEXTS.names[name]} | ${PORTUGUESE_TEXTS.names[name]}`).toBe(option.label);
    expect(PORTUGUESE_TEXTS.helps[name]).not.toBe(ENGLISH_TEXTS.helps[name]);
  });

  test('every option is one of the library', () => {
    // The type checker reads this: the library takes each option, of the type that the table says.
    const options: Required<Pick<TriggerOptions, keyof typeof TRIGGER_OPTIONS>> = {
      charge: 'order-1',
      withdrawal: 'payout-1',
      reason: 'AC03',
      late: true,
      override: {},
      count: 1,
    };
    expect(Object.keys(options)).toEqual(TRIGGER_NAMES);
  });
});

/** The option of `createSandbox` for each setting; null for what only commands do. */
const LIBRARY: Readonly<Record<SettingKey, keyof CreateSandboxOptions | null>> = {
  env: 'env',
  port: 'port',
  host: null,
  seed: 'seed',
  freeze: 'freezeAt',
  assume: 'assume',
  route: 'routes',
  allowLocalEndpoints: 'allowLocalEndpoints',
  autoSettle: 'autoSettle',
  rateLimit: 'rateLimit',
  kyc: null,
  kycAuto: 'kycAuto',
  kycDelay: 'kycAuto',
  kycRateLimit: null,
  origin: 'origins',
  allowHost: null,
  strict: 'strict',
  data: null,
  keepDeliveries: 'keepDeliveries',
  quiet: null,
  forwardTo: null,
  events: null,
  retries: null,
  header: null,
  concurrency: null,
  tunnelHost: null,
  tunnelSubdomain: null,
  tunnelFor: null,
  'start.faults': 'faults',
  'exec.faults': null,
  failOn: null,
  'check.without': null,
  'check.forwardTo': null,
  'check.port': null,
  'check.useRunning': null,
  'check.probe': null,
  'check.order': null,
  'check.restart': null,
  'explore.command': null,
  'explore.forwardTo': null,
};

describe('settings', () => {
  const guide = readFileSync('fixtures/guides/settings.md', 'utf8');
  const { properties } = createConfigSchema() as { properties: Record<string, { description: string }> };

  test.each(SETTINGS.map((setting) => [setting.key, setting] as const))(
    '%s is a flag of its commands, a variable, a key of the schema and a row of the guide',
    (key, setting) => {
      for (const command of setting.commands) expect(flagsIn(command)).toContain(getSettingFlag(setting));
      const described = properties[key]?.description ?? '';
      expect(described).toContain(setting.description);
      expect(described).toContain(getEnvironmentName(setting));
      expect(guide).toContain(`| \`${key}\` | ${setting.description}`);
      expect(LIBRARY).toHaveProperty([key]);
      expect(commandNamed(setting.commands[0] ?? '').options).toHaveProperty(getOptionName(setting));
    },
  );
});

describe('a fault', () => {
  const all = Object.entries(FAULTS).flatMap(([on, kinds]) =>
    Object.entries(kinds).map(([action, { meaning, fields = [] }]) => ({ on, action, meaning, fields })),
  );
  const guide = (name: string) => readFileSync(`fixtures/guides/${name}.md`, 'utf8');

  test('a fault is in help, completion, guides, schemas and the console form, with its options', async () => {
    const help = renderPage(createCommandPage(commandNamed('faults add'), TABLE)).replaceAll(/\s+/g, ' ');
    const completed = await completionsOf('faults add ');
    const form = createFaultForm([], new URLSearchParams());
    const own = new Set<string>(all.flatMap(({ fields }) => fields));
    for (const { on, action, meaning, fields } of all) {
      for (const surface of [help, completed, guide('commands')]) expect(surface).toContain(action);
      for (const schema of [scenario, JSON.stringify(control)]) expect(schema).toContain(`"${action}"`);
      expect(guide('faults')).toContain(`\`${action}\` | ${meaning}`);
      for (const field of fields) expect(help).toMatch(new RegExp(`--${field} [^:]*\\b${action}[,:]`));
      const shown = form.fields({ fault: `${on} ${action}` });
      expect(JSON.stringify(shown)).toContain(`${action}: ${meaning}`);
      expect(shown.map(({ name }) => name).filter((name) => own.has(name))).toEqual(fields);
    }
  });

  test('each fault is accepted by the library', () => {
    type Of<On> = Extract<published.FaultFields, { readonly on?: On | undefined }>['action'];
    expectTypeOf<Of<'call'>>().toEqualTypeOf<published.CallFaultAction>();
    expectTypeOf<Of<'delivery'>>().toEqualTypeOf<published.DeliveryFaultAction>();
  });
});
