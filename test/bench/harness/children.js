import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const PACKAGE_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The starter of a built checkout, by default of this one. */
export function starter(root = PACKAGE_ROOT) {
  return join(root, 'bin', 'sandbox.js');
}

const PROCESSES = fileURLToPath(new URL('../processes/', import.meta.url));

/** @param {string} name of a file in processes/ */
export function processFile(name) {
  return join(PROCESSES, name);
}

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * The environment of every child: without what slows starts down or changes what a sandbox does, and with state and cache in our folder.
 * @param {import('../run.js').Bench} bench
 */
export function childEnv({ folder }) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_V8_COVERAGE|SANDBOX_.*)$/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
}

function tracked(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

async function stop(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/**
 * Starts a server of its own process and waits for its first line, which is JSON with its `url`.
 * @param {import('../run.js').Bench} bench
 * @param {readonly string[]} args of node
 */
export async function startServer(bench, args) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = tracked(spawn(process.execPath, args, { cwd: bench.folder, env: childEnv(bench), stdio }));
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    once(lines, 'line').then(([text]) => text),
    once(child, 'exit').then(([code]) => {
      throw new Error(`Expected node ${args.join(' ')} to become ready; it left with ${code}.`);
    }),
  ]);
  const ready = JSON.parse(line);
  if (ready.url === undefined)
    throw new Error(`Expected node ${args.join(' ')} to become ready; it said ${line}`);
  return { ready, pid: child.pid, stop: () => stop(child, 'SIGTERM') };
}

/**
 * @param {import('../run.js').Bench} bench
 * @param {readonly string[]} [args] more arguments of `start`
 * @param {string} [root] of another built checkout
 */
export function startSandbox(bench, args = [], root = PACKAGE_ROOT) {
  return startServer(bench, [starter(root), 'start', '--port', '0', '--json', '--quiet', ...args]);
}

/**
 * Starts a process of processes/ that answers one question at a time.
 * @param {import('../run.js').Bench} bench
 * @param {string} file
 * @param {{ args?: readonly string[], execArgv?: readonly string[] }} [options]
 */
export function startHelper(bench, file, { args = [], execArgv = [] } = {}) {
  const options = { cwd: bench.folder, env: childEnv(bench), execArgv: [...execArgv] };
  const child = tracked(fork(processFile(file), args, options));
  const left = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`Expected ${file} to answer; it left with ${code ?? signal}.`);
  });
  left.catch(() => {});
  return {
    pid: child.pid,
    ask: async (question) => {
      child.send(question);
      const [{ answer, error }] = await Promise.race([once(child, 'message'), left]);
      if (error !== undefined) throw new Error(`${file}: ${error}`);
      return answer;
    },
    stop: () => stop(child, 'SIGKILL'),
  };
}

/** Memory of a process in MB. */
export function residentMb(pid) {
  if (process.platform === 'linux') {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

/**
 * Asks a sandbox and returns its JSON. Throws unless it responds with 2xx.
 * @param {{ ready: { url: string } }} server
 * @param {string} path
 * @param {RequestInit} [init]
 */
export async function call({ ready }, path, init) {
  const response = await fetch(ready.url + path, init);
  if (response.ok) return response.json();
  throw new Error(`Expected 2xx from ${path}, got ${response.status}: ${await response.text()}`);
}

export const JSON_BODY = { 'content-type': 'application/json' };

/** Posts JSON to a route of the control API. */
export function post(server, route, body = {}) {
  const init = { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) };
  return call(server, `/_sandbox/${route}`, init);
}
