import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPermissive, listedPackages } from '../../../build.notices.js';
import { run } from '../harness/commands.js';
import { ROOT } from '../harness/release.js';
import { manifestProblems } from './contents.js';

/**
 * Installs the package where nothing else is, with scripts, and neither a network nor a cache to take anything from.
 * @param {import('../harness/release.js').Release} release
 */
export async function install(release) {
  const { env, folder, userFolder, packageJson, tarball } = release;
  writeFileSync(join(userFolder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }\n');
  const command = ['npm', 'install', '--offline', '--ignore-scripts=false', '--cache', join(folder, 'cache')];
  await run([...command, tarball], { cwd: userFolder, env });
  const { packages } = JSON.parse(readFileSync(join(userFolder, 'package-lock.json'), 'utf8'));
  const names = Object.keys(packages).filter((path) => path !== '');
  release.packages = names.length;
  const problems = manifestProblems(readInstalled(release, 'package.json', JSON.parse));
  if (names.join() !== `node_modules/${packageJson.name}`) {
    problems.push(`Expected one package to be installed; got ${names.join(', ')}.`);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return 'one package, offline, from an empty cache; no dependencies, nothing runs at installation';
}

/**
 * Everybody whose code is in the bundles is named, and nothing of this machine is.
 * @param {import('../harness/release.js').Release} release
 */
export async function notices(release) {
  const listed = listedPackages(readInstalled(release, 'dist/NOTICES.txt'));
  const bad = listed.filter(({ licence }) => !isPermissive(licence));
  if (listed.length === 0 || bad.length > 0) {
    throw new Error(
      `Expected permissive licences in dist/NOTICES.txt; got ${JSON.stringify(listed.length === 0 ? [] : bad)}.`,
    );
  }
  return listed.map(({ name, version, licence }) => `${name} ${version} ${licence}`).join(', ');
}

/**
 * Nothing that ships tells in which folder it was built.
 * @param {import('../harness/release.js').Release} release
 */
export async function paths(release) {
  const telling = release.packed.files.filter(({ path }) => readInstalled(release, path).includes(ROOT));
  if (telling.length === 0) return 'no file names the folder that it was built in';
  throw new Error(telling.map(({ path }) => `${path} names ${ROOT}.`).join('\n'));
}

function readInstalled({ userFolder, packageJson }, file, read = String) {
  return read(readFileSync(join(userFolder, 'node_modules', packageJson.name, file), 'utf8'));
}
