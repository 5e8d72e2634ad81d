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
  /** What starts the receiver; undefined where only the user knows it. */
  readonly program: string | undefined;
}

/** The job for a project: its package manager, its tests, and a check of its receiver. */
export function adaptedWorkflow(template: string, project: Project, { command, program }: ToRun): string {
  const { manager, hasLock, requirements } = project;
  const install = manager === 'npm' && !hasLock ? ['npm install'] : INSTALL[manager];
  const steps = install.map((line) => `      - run: ${line}`).join('\n');
  const isCached = manager === 'npm' && hasLock;
  return template
    .replace('name: test\n', 'name: pix-sandbox\n')
    .replace(/^ +cache: npm\n/m, (line) => (isCached ? line : ''))
    .replace(/^ +- run: npm ci$/m, steps)
    .replace('-r requirements.txt ', requirements)
    .replace(/-- npm test$/m, `-- ${command}`)
    .concat(checkStep(template, project, program));
}

/** A step that starts the receiver and checks it; a comment where the user has to say how it starts. */
function checkStep(template: string, { framework, manager }: Project, program: string | undefined): string {
  const tests = template.split('\n').find((line) => line.includes('npx') && line.includes(' exec ')) ?? '';
  const npx = tests.slice(tests.indexOf('npx'), tests.indexOf(' exec ')) || 'npx sandbox';
  const unknown = isPython(framework) ? 'python3 app.py' : `${manager} run start`;
  const wait = `curl -s -o /dev/null --retry 30 --retry-delay 1 --retry-connrefused localhost:3000`;
  const start = `${program ?? unknown} & trap "kill $!" EXIT`;
  const run = `${npx} exec -- sh -c '${start}; ${wait}; ${npx} check --forward-to 3000/webhooks'`;
  return program === undefined
    ? `      # To check the receiver with forged, repeated and late webhooks, name what starts the application:
      # - run: ${run}
`
    : `      # Starts the receiver, and checks it with forged, repeated and late webhooks.
      - run: ${run}
`;
}
