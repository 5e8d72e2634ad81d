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

/** The job for a project: its package manager, and `command` for its tests. */
export function adaptedWorkflow(
  template: string,
  { manager, hasLock, requirements }: Project,
  command: string,
): string {
  const install = manager === 'npm' && !hasLock ? ['npm install'] : INSTALL[manager];
  const steps = install.map((line) => `      - run: ${line}`).join('\n');
  const isCached = manager === 'npm' && hasLock;
  return template
    .replace('name: test\n', 'name: pix-sandbox\n')
    .replace(/^ +cache: npm\n/m, (line) => (isCached ? line : ''))
    .replace(/^ +- run: npm ci$/m, steps)
    .replace('-r requirements.txt ', requirements)
    .replace(/-- npm test$/m, `-- ${command}`);
}
