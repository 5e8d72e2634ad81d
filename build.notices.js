// Says whose code the bundles hold, so that everybody gets the credit and the licence text that they ask for.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Licences that ask for their text and nothing else, by their SPDX names. */
const PERMISSIVE = new Set([
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
]);
const LICENCE_FILE = /^(?:third[-_]party[-_])?(?:licen[cs]es?|copying|notices?)(?:[-.][\w.-]+)?$/i;
const NO_TEXT = /\.(?:[cm]?[jt]s|json)$/i;
const RULE = '-'.repeat(80);

/**
 * A package of which some code is in the bundles.
 * @typedef {object} BundledPackage
 * @property {string} name
 * @property {string} version
 * @property {string} licence An SPDX expression.
 * @property {readonly string[]} texts Of its licence files, each once.
 */

/**
 * The packages that a bundler's chunks hold code of, in the order of their names.
 * @param {readonly { modules?: Readonly<Record<string, { renderedLength: number }>> }[]} chunks of rolldown's output
 * @returns {BundledPackage[]}
 */
export function bundledPackages(chunks) {
  const ids = chunks.flatMap(({ modules = {} }) =>
    Object.keys(modules).filter((id) => modules[id].renderedLength > 0),
  );
  const folders = new Set(ids.map(packageFolder).filter((folder) => folder !== undefined));
  return [...folders].map(readPackage).sort(byNameAndVersion);
}

/** The folder of the package that a module comes from; undefined for our own. */
function packageFolder(id) {
  // Names of the bundler's own helpers begin with NUL, and so may those of our stand-ins, at the price of a notice too many.
  const file = id.startsWith('\0') ? fileURLToPath(import.meta.resolve('rolldown')) : id;
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0];
}

/** @returns {BundledPackage} */
function readPackage(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file) && !NO_TEXT.test(file));
  const texts = files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim())
    .filter((text) => text !== '');
  const scope = basename(dirname(folder));
  return {
    name: manifest.name ?? (scope.startsWith('@') ? `${scope}/${basename(folder)}` : basename(folder)),
    version: manifest.version ?? '',
    licence: typeof manifest.license === 'string' ? manifest.license : '',
    texts: [...new Set(texts)],
  };
}

function byNameAndVersion(one, other) {
  return one.name < other.name || (one.name === other.name && one.version < other.version) ? -1 : 1;
}

/**
 * Whether an SPDX expression leaves us the choice of permissive licences alone.
 * @param {string} expression such as `(MIT OR Apache-2.0)`
 */
export function isPermissive(expression) {
  // Taken apart only as far as npm packages write them: alternatives of conjunctions, in one pair of brackets at most.
  return expression
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => PERMISSIVE.has(licence)));
}

/**
 * The notices to ship. Throws Error, with a line for each package, where a licence is not permissive or has no text.
 * @param {readonly BundledPackage[]} packages
 */
export function noticesOf(packages) {
  const problems = packages.flatMap(({ name, version, licence, texts }) => [
    ...(isPermissive(licence)
      ? []
      : [
          `${name} ${version}: expected one of ${[...PERMISSIVE].join(', ')}; got ${licence || 'no licence'}.`,
        ]),
    ...(texts.length > 0
      ? []
      : [`${name} ${version}: expected a file with the text of its licence; found none.`]),
  ]);
  if (problems.length > 0) {
    throw new Error(`What is bundled must be free to ship:\n${problems.join('\n')}\nBundle another package.`);
  }
  const sections = packages.map(
    ({ name, version, licence, texts }) =>
      `${RULE}\n${name} ${version}\nLicence: ${licence}\n\n${texts.join('\n\n')}\n`,
  );
  return `The files in this folder hold code of these packages, each under its own licence.\n\n${sections.join('\n')}`;
}

/**
 * The packages that a text of `noticesOf` lists.
 * @param {string} text
 */
export function listedPackages(text) {
  return Array.from(
    text.matchAll(new RegExp(`^${RULE}\n(\\S+) (\\S+)\nLicence: (.+)\n\n(?!${RULE})\\S`, 'gm')),
    (found) => ({
      name: found[1],
      version: found[2],
      licence: found[3],
    }),
  );
}
