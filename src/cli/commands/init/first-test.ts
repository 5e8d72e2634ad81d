import { UNKNOWN_VALUE } from './application.js';
import type { Project } from './project.js';
import { TEST_RUNNERS } from '../../program/shared-options.js';

type Runner = Exclude<(typeof TEST_RUNNERS)[number], 'none'>;

const IMPORT = "import { test } from 'node:test';\n";
const MATCHERS = "import { matchers } from 'pix-sandbox/testing';\n";
/** Imports of a test runner, which replace those of node:test. */
const IMPORTS: Readonly<Record<Exclude<Runner, 'pytest'>, string>> = {
  node: MATCHERS + IMPORT,
  mocha: MATCHERS,
  ava: `${MATCHERS}import test from 'ava';\n`,
  bun: `${MATCHERS}import { expect, test } from 'bun:test';\n\nexpect.extend(matchers);\n`,
  vitest: "import 'pix-sandbox/testing/vitest';\nimport { expect, test } from 'vitest';\n",
  jest: "import 'pix-sandbox/testing/jest';\n",
};

interface FirstTest {
  readonly project: Project;
  readonly runner: (typeof TEST_RUNNERS)[number];
  /** Starts the application; undefined if unknown. */
  readonly program: string | undefined;
  readonly order: Project['application']['order'];
  /** Runs the test. */
  readonly command: string;
  /** The `env` setting. */
  readonly env: Project['application']['env'];
  /** Environment variable that sets the port; undefined if the port is fixed. */
  readonly portVariable: string | undefined;
}

/** Adapts the template of the first test to the test runner and the application. */
export function adaptFirstTest(template: string, first: FirstTest): string {
  const { runner, program, order, command } = first;
  const isPython = runner === 'pytest';
  const quoted =
    program === undefined ? undefined : isPython ? JSON.stringify(program) : `${quoteText(program)};`;
  const lines = isPython ? pythonOrder(order) : orderOf(order, runner);
  const paid = order?.shown === undefined ? undefined : (isPython ? pythonPaid : paidOf)(order.shown);
  const text = template
    .replaceAll(/python3 -m pytest \w+\.py/g, () => command)
    .replace(/(?<=^(?:START|const start) = ).*$/m, (unknown) => quoted ?? unknown)
    .replace(/^( *)(?:#|\/\/) order$/m, (_, indent: string) => indented(lines, indent))
    .replace(/^( *)(?:#|\/\/) Next: .*$/m, (next, indent: string) => (paid ? indented(paid, indent) : next));
  return runner === 'pytest' || runner === 'none' ? text : adaptToRunner(text, first, runner);
}

function indented(lines: readonly string[], indent: string): string {
  return lines.map((line) => indent + line).join('\n');
}

function adaptToRunner(
  text: string,
  { project: { isModule }, env, portVariable }: FirstTest,
  runner: Exclude<Runner, 'pytest'>,
): string {
  const lines = text
    .replace(IMPORT, () => IMPORTS[runner])
    .replace(/, PORT(: '\d+')/, (_, port: string) =>
      portVariable === undefined ? '' : `, ${portVariable}${port}`,
    );
  const plain =
    Object.keys(env).length > 0
      ? lines
      : lines
          .replace("import { readFileSync } from 'node:fs';\n", '')
          .replace(/^const \{ env: names \}.*\n/m, '')
          .replace('{ env: names }', '');
  switch (runner) {
    case 'mocha':
      return plain.replace(
        /^test\((.*), async \(\) => \{$/m,
        'it($1, async function () {\n  this.timeout(60_000);',
      );
    case 'ava':
      return plain
        .replace('async () => {', 'async (t) => {\n  t.timeout(60_000);')
        .replace(/^ {2}\} catch/m, '    t.pass();\n$&');
    case 'node':
      return plain;
    case 'jest': {
      const required = isModule
        ? plain
        : plain
            .replaceAll(
              /^import (.*) from ('.*');$/gm,
              (_, names: string, from: string) => `const ${names.replace(' as ', ': ')} = require(${from});`,
            )
            .replaceAll(/^import ('.*');$/gm, 'require($1);');
      return `/** @jest-environment node */\n${required.replace(/^\}\);$/m, '}, 60_000);')}`;
    }
    default:
      return plain.replace(/^\}\);$/m, '}, 60_000);');
  }
}

const TODO = 'TODO: create an order in your application here, and settle its charge.';

/** Creates an order through the application, and expects its webhook. */
function orderOf(order: FirstTest['order'], runner: FirstTest['runner']): readonly string[] {
  const expected = (code: string) =>
    ['vitest', 'jest', 'bun'].includes(runner)
      ? [`await expect(sandbox).toHaveDelivered('pix.settled'${code});`]
      : [
          `const { pass, message } = await matchers.toHaveDelivered(sandbox, 'pix.settled'${code});`,
          'assert.ok(pass, message());',
        ];
  if (order === undefined)
    return [`// ${TODO}`, "await sandbox.trigger('pix.settled', { until: 'attempted' });", ...expected('')];
  const { route, body, shown } = order;
  return [
    `// A customer's order: ${route.place}`,
    `const body = JSON.stringify({ ${formatFields(body, (name) => name, quoteText)} });${todoOf(body, ' //')}`,
    "const headers = { 'content-type': 'application/json' };",
    `const response = await fetch(\`\${origin}${route.path}\`, { method: 'POST', headers, body });`,
    `assert.ok(response.ok, \`POST ${route.path}: \${response.status} \${await response.text()}\`);`,
    'const [charge] = await sandbox.charges.list();',
    `assert.ok(charge, 'The application created no charge. ${NO_CHARGE}');`,
    ...(shown === undefined
      ? []
      : [
          `const show = () => fetch(\`\${origin}${shown}\`).then((shown) => shown.text());`,
          'const unpaid = await show();',
        ]),
    'await sandbox.charges.settle(charge.code);',
    ...expected(', { code: charge.code }'),
  ];
}

/** Expects a change within 5 s, because applications may process webhooks after their response. */
function paidOf(path: string): readonly string[] {
  return [
    'for (let tries = 0; (await show()) === unpaid; tries += 1) {',
    `  assert.ok(tries < 50, \`GET ${path} still returns \${unpaid}: mark the order as paid.\`);`,
    '  await sleep(100);',
    '}',
  ];
}

function pythonPaid(path: string): readonly string[] {
  return [
    'for _ in range(50):',
    `    if request(f"{ORIGIN}${path}") != unpaid:`,
    '        break',
    '    time.sleep(0.1)',
    'else:',
    `    self.fail(f"GET ${path} still returns {unpaid.decode()}: mark the order as paid.")`,
  ];
}

const NO_CHARGE =
  'It must read the API URL and credentials from variables; `env` in sandbox.config.json maps their names.';

function pythonOrder(order: FirstTest['order']): readonly string[] {
  if (order === undefined) return [`# ${TODO}`, 'signed = self.trigger()'];
  const { route, body, shown } = order;
  return [
    `# A customer's order: ${route.place}`,
    `body = {${formatFields(body, JSON.stringify, JSON.stringify)}}${todoOf(body, '  #')}`,
    `request(f"{ORIGIN}${route.path}", body)`,
    'charges = json.loads(request(f"{SANDBOX}/_sandbox/charges"))["data"]',
    `self.assertTrue(charges, "The application created no charge. ${NO_CHARGE}")`,
    ...(shown === undefined ? [] : [`unpaid = request(f"{ORIGIN}${shown}")`]),
    'signed = self.trigger(charge=charges[0]["code"])',
  ];
}

/** Returns a comment for a body without fields or with unknown ones. */
function todoOf(body: Readonly<Record<string, string | number>>, comment: string): string {
  const values = Object.values(body);
  return values.length > 0 && !values.includes(UNKNOWN_VALUE) ? '' : `${comment} TODO: complete`;
}

function formatFields(
  fields: Readonly<Record<string, string | number>>,
  formatName: (name: string) => string,
  quote: (text: string) => string,
): string {
  return Object.entries(fields)
    .map(([name, value]) => `${formatName(name)}: ${typeof value === 'string' ? quote(value) : value}`)
    .join(', ');
}

/** Formats a JavaScript string literal. */
function quoteText(text: string): string {
  return text.includes("'") || text.includes('\\') ? JSON.stringify(text) : `'${text}'`;
}
