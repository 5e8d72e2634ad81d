// What may be in the package, what must, and what an installation must not run. Rules alone: nothing here reads a file.

/** Why a file that fits must not ship. Examples for users, with their own tests, live in fixtures. */
const STRANGERS = [
  [/(?:^|\/)\./, 'a file whose name begins with a dot'],
  [/\.map$/, 'a source map'],
  [/^(?:src|test)\//, 'of our sources'],
  [/^(?!fixtures\/).*\.(?:test|spec)\.[cm]?[jt]s$/, 'a test'],
  [/^(?!fixtures\/)(?!.*\.d\.[cm]?ts$).*\.[cm]?tsx?$/, 'a source'],
  [/(?:^|\/)(?:node_modules|__pycache__|coverage)\//, 'left over'],
  [/\.(?:log|tgz|pyc|tsbuildinfo)$/, 'left over'],
  [/(?:^|\/)binding\.gyp$/, 'what npm would compile at installation'],
];
/** What npm runs when somebody installs a package from a registry or a file; `prepare` is for clones. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];
const DEPENDENCIES = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'bundleDependencies',
  'bundledDependencies',
];
const ALWAYS = ['LICENSE', 'README.md', 'dist/NOTICES.txt'];

/**
 * What is wrong with the files of a package, a line for each.
 * @param {readonly string[]} paths of what was packed
 * @param {{ files?: string[], bin?: Record<string, string>, exports?: object }} packageJson
 * @param {readonly string[]} [alsoWanted] files or folders
 */
export function fileProblems(paths, packageJson, alsoWanted = []) {
  const strangers = paths.flatMap((path) => {
    const why = STRANGERS.find(([pattern]) => pattern.test(path))?.[1];
    return why === undefined ? [] : [`${path} must not ship: it is ${why}.`];
  });
  const { files = [], bin = {}, exports = {} } = packageJson;
  const wanted = new Set(
    [...ALWAYS, ...files, ...Object.values(bin), ...targetsOf(exports), ...alsoWanted].map((path) =>
      path.replace(/^\.\//, '').replace(/\/$/, ''),
    ),
  );
  const missing = [...wanted].filter(
    (path) => !paths.some((packed) => packed === path || packed.startsWith(`${path}/`)),
  );
  return [...strangers, ...missing.map((path) => `${path} is missing: the package promises it.`)];
}

/** Every file that a part of `exports` leads to. */
function targetsOf(exports) {
  return typeof exports === 'string' ? [exports] : Object.values(exports).flatMap(targetsOf);
}

/**
 * What an installation would run or bring, a line for each.
 * @param {Record<string, any>} packageJson that of the package as it was installed
 */
export function manifestProblems(packageJson) {
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
