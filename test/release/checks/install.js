import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../harness/commands.js';
import { ROOT } from '../harness/release.js';

/** What npm runs when somebody installs a package, or warns about. Clones build in `dependencies`, `npm pack` in `prepack`. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];
const DEPENDENCIES = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'bundleDependencies',
  'bundledDependencies',
];

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
  const text = readInstalled(release, 'dist/NOTICES.txt');
  const listed = Array.from(
    text.matchAll(/^(\S+ \S+)\nLicense: (.+)\n\n(?!-{80})\S/gm),
    ([, name, license]) => ({ name, license }),
  );
  const bad = listed.filter(({ license }) => !/\b(?:MIT|ISC|0BSD|BSD|Apache|BlueOak)\b/.test(license));
  if (listed.length === 0 || bad.length > 0) {
    throw new Error(`Expected permissive licenses in dist/NOTICES.txt; got ${JSON.stringify(bad)}.`);
  }
  return listed.map(({ name, license }) => `${name} ${license}`).join(', ');
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

/**
 * What an installation would run or bring, a line for each.
 * @param {Record<string, any>} packageJson that of the package as it was installed
 */
function manifestProblems(packageJson) {
  const { scripts = {} } = packageJson;
  return [
    ...INSTALL_SCRIPTS.filter((name) => Object.hasOwn(scripts, name)).map(
      (name) => `The script ${name} would run at installation: ${scripts[name]}. Nothing may.`,
    ),
    ...DEPENDENCIES.filter((field) => Object.keys(packageJson[field] ?? {}).length > 0).map(
      (field) => `Expected no ${field}; got ${Object.keys(packageJson[field]).join(', ')}. Bundle them.`,
    ),
  ];
}
