import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { kilobytes } from '../harness/release.js';

const LAST_RELEASE = new URL('../last-release.json', import.meta.url);
/** How much a release may grow unnoticed. */
const GROWTH = 1.25;
const HOW_TO_ACCEPT = 'If that is meant, write it down: npm run release:check -- --update';

/**
 * What grew too much since the last release, a line for each.
 * @param {Record<string, number>} last
 * @param {Record<string, number>} now of the same names
 */
export function growthProblems(last, now) {
  return Object.keys(now).flatMap((name) => {
    const most = (last[name] ?? 0) * (name === 'packages' ? 1 : GROWTH);
    return now[name] <= most
      ? []
      : [`${name}: expected ${Math.round(most * 10) / 10} at most; got ${now[name]}.`];
  });
}

/** @param {import('../harness/release.js').Release} release */
export async function size({ packed, packages, packageJson, isUpdate }) {
  const now = {
    tarballKb: kilobytes(packed.size),
    unpackedKb: kilobytes(packed.unpackedSize),
    packages,
  };
  if (isUpdate)
    writeFileSync(LAST_RELEASE, `${JSON.stringify({ version: packageJson.version, ...now }, null, 2)}\n`);
  const { version, ...last } = existsSync(LAST_RELEASE) ? JSON.parse(readFileSync(LAST_RELEASE, 'utf8')) : {};
  const problems = growthProblems(last, now);
  if (problems.length > 0) throw new Error([...problems, HOW_TO_ACCEPT].join('\n'));
  return Object.entries(now)
    .map(([name, value]) => `${name} ${value} (${version}: ${last[name]})`)
    .join(', ');
}
