import { run } from '../harness/commands.js';
import { Missing, npmCode } from '../harness/missing.js';

/** The newest major that is checked; the oldest ones are those that package.json promises. */
const NEWEST = '24';

/**
 * The versions that the smoke runs on: of each range of `engines` the oldest one, and a new one.
 * @param {string} engines such as `^20.19.0 || >=22.3.0`
 */
export function nodesToCheck(engines) {
  return [...engines.matchAll(/\d+(?:\.\d+){2}/g)].map(([version]) => version).concat(NEWEST);
}

/**
 * Brings a Node by npm, whose cache keeps it; resolves to the path of its binary. Throws Missing.
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
    throw new Missing(`npm could not bring node@${version}: ${npmCode(error)}`);
  }
  const [got, path] = answer;
  if (got === version || got.startsWith(`${version}.`)) return path;
  throw new Missing(`npm brought node ${got} for node@${version}: are its install scripts turned off?`);
}
