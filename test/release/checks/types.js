import { join } from 'node:path';
import { run } from '../harness/commands.js';
import { Missing, npmCode } from '../harness/missing.js';
import { ROOT } from '../harness/release.js';
import { nameOf, STRICT_PROJECTS, writeStrictProject } from '../user/strict-projects.js';

/** The oldest TypeScript that the declarations are for. */
const OLDEST = '5.4';
/** Each module resolution, module system and surroundings at least once, because the old compiler takes ten times as long. */
const OF_OLDEST = STRICT_PROJECTS.filter((_, index) => index % 4 === 1);

/**
 * The types say what they should in strict projects of users, with the TypeScript that is installed here.
 * @param {import('../harness/release.js').Release} release
 */
export async function types(release) {
  await compile(release, join(ROOT, 'node_modules/typescript'), STRICT_PROJECTS);
  return `${STRICT_PROJECTS.length} strict projects compile, skipLibCheck off: ${namesOf(STRICT_PROJECTS)}`;
}

/**
 * The same with the oldest one, which npm brings. Throws Missing when it does not.
 * @param {import('../harness/release.js').Release} release
 */
export async function oldTypes(release) {
  const home = join(release.folder, 'old-typescript');
  const npm = ['npm', 'install', '--prefer-offline', '--fetch-retries=0', '--prefix', home];
  try {
    await run([...npm, `typescript@${OLDEST}`], { cwd: release.folder, env: release.env });
  } catch (error) {
    throw new Missing(`npm could not bring typescript@${OLDEST}: ${npmCode(error)}`);
  }
  await compile(release, join(home, 'node_modules/typescript'), OF_OLDEST);
  return `${OF_OLDEST.length} strict projects compile, skipLibCheck off: ${namesOf(OF_OLDEST)}`;
}

async function compile({ userFolder, env }, typescript, projects) {
  for (const project of projects) {
    const config = writeStrictProject(userFolder, project, join(ROOT, 'node_modules/@types'));
    await run([process.execPath, join(typescript, 'bin/tsc'), '-p', config], { cwd: userFolder, env });
  }
}

function namesOf(projects) {
  return projects.map(nameOf).join(', ');
}
