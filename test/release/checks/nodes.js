import { run } from '../harness/commands.js';

/** The newest major that is checked; the oldest ones are those that package.json promises. */
const NEWEST = '24';

/** A version of Node that could not be had here, which says nothing about the package. */
export class NodeMissing extends Error {}

/**
 * The versions that the smoke runs on: of each range of `engines` the oldest one, and a new one.
 * @param {string} engines such as `^20.19.0 || >=22.3.0`
 */
export function nodesToCheck(engines) {
  return [...engines.matchAll(/\d+(?:\.\d+){2}/g)].map(([version]) => version).concat(NEWEST);
}

/**
 * Brings a Node by npm, whose cache keeps it; resolves to the path of its binary. Throws NodeMissing.
 * @param {string} version or the beginning of one
 * @param {import('../harness/release.js').Release} release
 */
export async function bringNode(version, { env, folder }) {
  const npx = ['npx', '--yes', '--prefer-offline', '--fetch-retries=0', '--package', `node@${version}`];
  const ask = ['--', 'node', '-p', 'JSON.stringify([process.versions.node, process.execPath])'];
  let answer;
  try {
    answer = JSON.parse(await run([...npx, ...ask], { cwd: folder, env }));
  } catch (error) {
    const code = /^npm error code (\S+)$/m.exec(error.message)?.[1];
    throw new NodeMissing(`npm could not bring node@${version}: ${code ?? error.message}`);
  }
  const [got, path] = answer;
  if (got === version || got.startsWith(`${version}.`)) return path;
  throw new NodeMissing(`npm brought node ${got} for node@${version}: are its install scripts turned off?`);
}
