import { quoteForShell } from '../../../text/shell/words.js';
import type { PackageManager, Project } from './project.js';

export const WORKFLOW_PATH = '.github/workflows/pix-sandbox.yml';
const NODE_WORKFLOW = 'examples/github-actions/pix-sandbox.yml';
const PYTHON_WORKFLOW = 'init/github-python.yml';

const INSTALL: Readonly<Record<PackageManager, readonly string[]>> = {
  npm: ['npm ci'],
  pnpm: ['corepack enable', 'pnpm install --frozen-lockfile'],
  yarn: ['corepack enable', 'yarn install'],
  bun: ['npm install --global bun', 'bun install --frozen-lockfile'],
};

export function createWorkflowTemplate({ isPython }: Project): string {
  return isPython ? PYTHON_WORKFLOW : NODE_WORKFLOW;
}

interface WorkflowSteps {
  readonly commands: readonly string[];
  /** Starts the application; undefined if unknown. */
  readonly program: string | undefined;
  /** `check` tests effects only with both commands, `probe` and `order`. */
  readonly probe: string | undefined;
  readonly order: string | undefined;
}

/** Adapts the CI job to the package manager, tests and receiver of a project; pins the package's version. */
export function adaptWorkflow(
  unpinned: string,
  project: Project,
  place: { readonly port: string; readonly route: string },
  toRun: WorkflowSteps,
): string {
  const template = unpinned.replace('npx --yes pix-sandbox ', `npx --yes pix-sandbox@${__VERSION__} `);
  const wait = `curl -s -o /dev/null --retry 30 --retry-delay 1 --retry-connrefused localhost:${place.port}`;
  const check = `check --forward-to ${place.port}${place.route}`;
  const { manager, hasLock, requirements } = project;
  const install = manager === 'npm' && !hasLock ? ['npm install'] : INSTALL[manager];
  const steps = install.map((line) => `      - run: ${line}`).join('\n');
  const isCached = manager === 'npm' && hasLock;
  return template
    .replace('name: test\n', 'name: pix-sandbox\n')
    .replace(/^ +cache: npm\n/m, (line) => (isCached ? line : ''))
    .replace(/^ +- run: npm ci$/m, steps)
    .replace('-r requirements.txt ', requirements)
    .replace(TESTS, (tests) => testsStep(tests, project, toRun.commands))
    .concat(checkStep(template, project, { wait, check }, toRun));
}

const WITHDRAWALS = '# Remove --without withdrawals if your application makes withdrawals.';

const TESTS = /^(?: +#.*\n){1,9} +- run: .*$/m;

/** Renders the step that runs the tests. Library tests start their own sandbox, so they need no `exec`. */
function testsStep(tests: string, { isPython, application }: Project, commands: readonly string[]): string {
  const [first = '', ...others] = commands.map((command) => `      - run: ${command}`);
  if (!isPython && !application.needsExec) return [first, ...others].join('\n');
  const step = tests.replace(/-- (?:npm test|python3 -m pytest)$/, () => `-- ${commands[0]}`);
  return [step, ...others].join('\n');
}

/** Returns the program name used by the template, e.g. `npx sandbox`. */
function programIn(template: string): string {
  const tests = template.split('\n').find((line) => line.includes('npx') && line.includes(' exec ')) ?? '';
  return tests.slice(tests.indexOf('npx'), tests.indexOf(' exec ')) || 'npx sandbox';
}

/**
 * Renders a step that starts and checks the application, even after failed tests. Comments the step out if
 * the start command is unknown.
 */
function checkStep(
  template: string,
  { isPython, manager }: Project,
  { wait, check }: { readonly wait: string; readonly check: string },
  toRun: WorkflowSteps,
): string {
  const { program, probe, order } = toRun;
  const npx = programIn(template);
  const unknown = isPython ? 'python3 app.py' : `${manager} run start`;
  const start = `${program ?? unknown} & trap "kill $!" EXIT`;
  const observed =
    probe === undefined || order === undefined
      ? undefined
      : ` --use-running --require effects --without withdrawals --probe ${quoteForShell(probe)} ` +
        `--order ${quoteForShell(order)}`;
  const step = [
    `- name: ${observed === undefined ? 'signatures' : 'effects'}`,
    '  if: ${{ !cancelled() }}',
    '  run: |',
    `    ${npx} exec -- sh -c ${quoteForShell(`${start}; ${wait}; ${npx} ${check}${observed ?? ''}`)}`,
  ];
  const missing = '# To also check the effects of webhooks, pass --probe and --order to init.';
  const lines = [
    program === undefined
      ? '# To check the receiver with forged, repeated and late webhooks, set the command that starts your application:'
      : '# Starts the receiver and checks it with forged, repeated and late webhooks.',
    ...(observed === undefined ? [missing] : [WITHDRAWALS]),
    ...step.map((line) => (program === undefined ? `# ${line}` : line)),
  ];
  return lines.map((line) => `      ${line}\n`).join('');
}
