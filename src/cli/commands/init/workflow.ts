import type { PackageManager, Project } from './project.js';
import { isPython } from './project.js';

export const WORKFLOW_PATH = '.github/workflows/pix-sandbox.yml';
export const NODE_WORKFLOW = 'examples/github-actions/pix-sandbox.yml';
export const PYTHON_WORKFLOW = 'init/github-python.yml';

const INSTALL: Readonly<Record<PackageManager, readonly string[]>> = {
  npm: ['npm ci'],
  pnpm: ['corepack enable', 'pnpm install --frozen-lockfile'],
  yarn: ['corepack enable', 'yarn install'],
  bun: ['npm install --global bun', 'bun install --frozen-lockfile'],
};

/** The template of a job, for what a project is written in. */
export function workflowTemplate({ framework }: Project): string {
  return isPython(framework) ? PYTHON_WORKFLOW : NODE_WORKFLOW;
}

/** What a job runs. */
export interface ToRun {
  /** The tests. */
  readonly command: string;
  /** What starts the application; undefined where only the user knows it. */
  readonly program: string | undefined;
  /** The first test is among the tests. */
  readonly needsApplication: boolean;
}

/** The job for a project: its package manager, its tests, and a check of its receiver. */
export function adaptedWorkflow(template: string, project: Project, toRun: ToRun): string {
  const { manager, hasLock, requirements } = project;
  const install = manager === 'npm' && !hasLock ? ['npm install'] : INSTALL[manager];
  const steps = install.map((line) => `      - run: ${line}`).join('\n');
  const isCached = manager === 'npm' && hasLock;
  return template
    .replace('name: test\n', 'name: pix-sandbox\n')
    .replace(/^ +cache: npm\n/m, (line) => (isCached ? line : ''))
    .replace(/^ +- run: npm ci$/m, steps)
    .replace('-r requirements.txt ', requirements)
    .replace(/-- (?:npm test|python3 -m pytest)$/m, () => `-- ${testsText(toRun)}`)
    .concat(checkStep(template, project, toRun));
}

const WAIT = 'curl -s -o /dev/null --retry 30 --retry-delay 1 --retry-connrefused localhost:3000';

/** The tests, after the start of the application that they need; `exec` ends it. */
function testsText({ command, program, needsApplication }: ToRun): string {
  return needsApplication && program !== undefined ? `sh -c '${program} & ${WAIT}; ${command}'` : command;
}

/** A step that starts the application and checks it; a comment where the user has to say how it starts. */
function checkStep(
  template: string,
  { framework, manager }: Project,
  { program, needsApplication }: ToRun,
): string {
  const tests = template.split('\n').find((line) => line.includes('npx') && line.includes(' exec ')) ?? '';
  const npx = tests.slice(tests.indexOf('npx'), tests.indexOf(' exec ')) || 'npx sandbox';
  const unknown = isPython(framework) ? 'python3 app.py' : `${manager} run start`;
  const start = `${program ?? unknown} & trap "kill $!" EXIT`;
  const run = `${npx} exec -- sh -c '${start}; ${WAIT}; ${npx} check --forward-to 3000/webhooks'`;
  if (program !== undefined) {
    return `      # Starts the receiver, and checks it with forged, repeated and late webhooks.
      - run: ${run}
`;
  }
  const first = needsApplication ? '      # The first test above needs your application, too.\n' : '';
  return `      # To check the receiver with forged, repeated and late webhooks, name what starts the application:
      # - run: ${run}
${first}`;
}
