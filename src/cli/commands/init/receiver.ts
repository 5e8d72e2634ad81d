import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Framework } from './project.js';

/** A file of the package's fixtures, and where in a project a copy of it goes. */
export interface Template {
  readonly from: string;
  readonly path: string;
}

/** A receiver for a framework. */
export interface Receiver {
  readonly files: readonly Template[];
  /** What npm has to install for it, beside the framework. */
  readonly packages: readonly string[];
  /** How it is started with the environment block, where it is a program of its own. */
  readonly program?: string;
}

type Written = Exclude<Framework, 'none'>;

const FOLDER = 'guides/receivers';
const NODE_FILE = 'pix-webhooks.mjs';
const SHELL_ENV = 'eval "$(npx sandbox env --format shell)"';

/** The receiver for a framework; `route` is the path at which it receives. */
export function receiverFor(framework: Written, folder: string, route: string): Receiver {
  return OWN[framework]?.(folder, route) ?? NODE;
}

/** The command that gives a program the environment block of the project. */
export function startOf(program: string): string {
  if (!program.startsWith('node ')) return `${SHELL_ENV}; ${program}`;
  return program.replace('node ', 'node --env-file=.env.test ');
}

const NODE: Receiver = {
  files: [{ from: `${FOLDER}/receiver.mjs`, path: NODE_FILE }],
  packages: [],
  program: `node ${NODE_FILE}`,
};

const PYTHON: Receiver = {
  files: [{ from: `${FOLDER}/receiver.py`, path: 'receiver.py' }],
  packages: [],
  program: 'python3 receiver.py',
};

function nodeReceiver(name: string, ...packages: readonly string[]): Receiver {
  const files = [{ from: `${FOLDER}/frameworks/${name}.mjs`, path: NODE_FILE }];
  return { ...NODE, files, packages: ['standardwebhooks', ...packages] };
}

function pythonReceiver(name: string, program: string): Receiver {
  const file = { from: `${FOLDER}/frameworks/${name}.py`, path: `${name}.py` };
  return { ...PYTHON, files: [...PYTHON.files, file], program };
}

const OWN: Partial<Record<Written, (folder: string, route: string) => Receiver>> = {
  express: () => nodeReceiver('express'),
  fastify: () => nodeReceiver('fastify'),
  hono: () => nodeReceiver('hono', '@hono/node-server'),
  koa: () => nodeReceiver('koa', 'raw-body'),
  nestjs: (folder) => {
    const path = `${existsSync(join(folder, 'src')) ? 'src/' : ''}webhooks.controller.ts`;
    return { files: [{ from: 'init/webhooks.controller.ts', path }], packages: ['standardwebhooks'] };
  },
  next: (folder, route) => {
    const app = existsSync(join(folder, 'src')) ? 'src/app' : 'app';
    const files = [
      { from: `${FOLDER}/frameworks/next-route.js`, path: `${app}${route === '/' ? '' : route}/route.js` },
    ];
    return { files, packages: ['standardwebhooks'] };
  },
  python: () => PYTHON,
  fastapi: () => pythonReceiver('fastapi_app', 'uvicorn fastapi_app:app --port 3000'),
  flask: () => pythonReceiver('flask_app', 'flask --app flask_app run --port 3000'),
  django: () => pythonReceiver('django_app', 'gunicorn --bind :3000 django_app:app'),
};
