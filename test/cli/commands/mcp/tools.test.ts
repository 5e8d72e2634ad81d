import { describe, expect, test } from 'vitest';
import { AGENT_TOOLS, createToolSchema } from '../../../../src/cli/commands/mcp/tools.js';
import { COMMANDS } from '../../../helpers/cli/commands.js';

const LIST_MAX = 10_000;
/** Annotations and the JSON around a tool. */
const AROUND_MAX = 140;
/** Names and descriptions of values that a shell, a file system or an HTTP client would use. */
const LOCATION =
  /\b(?:command|commands|path to|file|files|directory|folder|url|uri|https?:|host|port|shell)\b|@/i;

const byName = new Map(COMMANDS.map((command) => [command.name, command]));
const commandOf = (name: string) => {
  const command = byName.get(name);
  if (command === undefined) throw new Error(`Expected a command ${name}.`);
  return command;
};
const schemas = AGENT_TOOLS.map((tool) => ({ tool, schema: createToolSchema(tool, commandOf) }));
const parameters = schemas.flatMap(({ tool, schema }) =>
  Object.entries(schema.properties).map(([name, parameter]) => ({ tool: tool.name, name, parameter })),
);
const uses = schemas.flatMap(({ tool, schema }) =>
  Object.entries(tool.actions).map(([action, use]) => {
    return { where: `${tool.name} ${action}`, command: commandOf(use.command), schema, use };
  }),
);

describe('tools', () => {
  test('have public names', () => {
    expect(AGENT_TOOLS.map(({ name, isReadOnly }) => `${name}${isReadOnly ? ' (read-only)' : ''}`))
      .toMatchInlineSnapshot(`
      [
        "sandbox_status (read-only)",
        "pay",
        "trigger_event",
        "what_happened (read-only)",
        "show (read-only)",
        "verify_signature (read-only)",
        "check_handler",
        "explore_suite",
        "clock",
        "world",
        "guide (read-only)",
      ]
    `);
  });

  test('have public actions', () => {
    const actions = AGENT_TOOLS.map((tool) => `${tool.name}: ${Object.keys(tool.actions).join(' ')}`);
    expect(actions).toMatchInlineSnapshot(`
      [
        "sandbox_status: status",
        "pay: settle_charge fail_charge expire_charge process_withdrawal settle_withdrawal fail_withdrawal return_withdrawal create_charge create_withdrawal",
        "trigger_event: trigger",
        "what_happened: trace recent",
        "show: charges charge withdrawals withdrawal events event deliveries delivery calls call sessions session ledger endpoints agenda faults snapshots assumptions",
        "verify_signature: delivery webhook",
        "check_handler: check",
        "explore_suite: start status stop",
        "clock: advance next freeze reset",
        "world: add_fault remove_faults retry_delivery save restore compare reset",
        "guide: ",
      ]
    `);
  });

  test('fit in 10,000 characters with their schemas', () => {
    const list = schemas.map(({ tool: { name, description }, schema }) => {
      return { name, description, inputSchema: schema };
    });
    const size = JSON.stringify(list).length + AGENT_TOOLS.length * AROUND_MAX;
    expect(size).toBeLessThanOrEqual(LIST_MAX);
  });

  test('use only existing options, and declare every parameter', () => {
    const missing = uses.flatMap(({ where, command, schema, use }) => {
      const { args = [], options = [], fixed = {}, stdin } = use;
      const parameterNames = [...args, ...options, ...(stdin === undefined ? [] : [stdin])];
      return [
        ...[...options, ...Object.keys(fixed)].filter((name) => !(name in command.options)),
        ...parameterNames.filter((name) => !(name in schema.properties)),
      ].map((name) => `${where}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  test('never wait for the retry schedule of a failing receiver', () => {
    expect(uses.filter(({ use: { fixed } }) => fixed?.['wait'] === true)).toEqual([]);
  });

  test('pass every required argument', () => {
    const counts = uses.map(({ where, command, use: { args = [], stdin } }) => {
      const required = Object.values(command.args).filter(({ form }) => form === 'required');
      return { where, lacks: required.length - args.length - (stdin === undefined ? 0 : 1) };
    });
    expect(counts.filter(({ lacks }) => lacks > 0)).toEqual([]);
  });

  test('throw if an option does not exist', () => {
    const actions = { act: { command: 'status', options: ['nowhere'] } };
    const tool = { name: 'test', description: '', isReadOnly: true, actions };
    expect(() => createToolSchema(tool, commandOf)).toThrow('Expected status to have the option nowhere.');
  });

  test('are destructive only if they change the sandbox', () => {
    const destructive = AGENT_TOOLS.filter(({ isDestructive }) => isDestructive);
    expect(destructive.map(({ name, isReadOnly }) => [name, isReadOnly])).toEqual([['world', false]]);
  });
});

describe('parameters', () => {
  test('have a description or a list of values', () => {
    const bare = parameters.filter(({ parameter: { description = '', enum: values } }) => {
      return description === '' && values === undefined;
    });
    expect(bare.map(({ tool, name }) => `${tool}.${name}`)).toEqual([]);
  });

  test('are never a command, a path or a URL', () => {
    const locations = parameters.filter(({ name, parameter: { description = '' } }) =>
      LOCATION.test(`${name.replaceAll(/([A-Z])/g, ' $1')} ${description}`),
    );
    expect(locations.map(({ tool, name }) => `${tool}.${name}`)).toEqual([]);
  });

  test('exclude every option of a command that takes a file, a command or a URL', () => {
    const used = AGENT_TOOLS.flatMap(({ actions }) =>
      Object.values(actions).flatMap(({ command, options = [] }) =>
        options.map((name) => ({
          command,
          name,
          placeholder: commandOf(command).options[name]?.placeholder,
        })),
      ),
    );
    const risky = used.filter(({ placeholder = '' }) =>
      /^(?:file|directory|path|command|url|target|header)\b(?!=)/.test(placeholder),
    );
    expect(risky).toEqual([]);
  });

  test('reject `@file` as a delivery, which the command would read', () => {
    const { schema } = schemas.find(({ tool }) => tool.name === 'verify_signature') ?? {};
    const pattern = new RegExp(schema?.properties['delivery']?.pattern ?? '');
    const given = ['@/etc/passwd', '-', '{"id":"x"}', '', 'order-1', 'dlv_1'];
    expect(given.filter((text) => pattern.test(text))).toEqual(['order-1', 'dlv_1']);
  });

  test('reject further properties', () => {
    expect(schemas.map(({ schema }) => schema.additionalProperties)).toEqual(AGENT_TOOLS.map(() => false));
  });
});
