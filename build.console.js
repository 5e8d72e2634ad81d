// Bundles the console for browsers: a shell, one script and one style sheet, whose names change with their content.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';

const SOURCE = 'src/console';
const TARGET = 'dist/console';
const GUIDES = 'fixtures/guides';
/** The languages of the guides, by the ends of their files' names. */
const LANGUAGES = { Node: '.mjs', Python: '.py', Go: '.go', Ruby: '.rb', Java: '.java' };

/** Writes `dist/console`; answers the chunks, for the notices of what they contain. */
export async function buildConsole() {
  const guides = JSON.stringify(guidePrograms());
  const guidesName = `guides-${hashOf(guides)}.json`;
  const { output } = await build({
    input: { console: `${SOURCE}/main.tsx` },
    platform: 'browser',
    tsconfig: `${SOURCE}/tsconfig.json`,
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    transform: { target: 'es2022', define: { __GUIDES__: JSON.stringify(guidesName) } },
    output: { dir: TARGET, format: 'esm', minify: true, comments: false, entryFileNames: '[name]-[hash].js' },
  });
  const style = minifiedStyle(readFileSync(`${SOURCE}/style.css`, 'utf8'));
  const styleName = `console-${hashOf(style)}.css`;
  const icon = readFileSync(`${SOURCE}/icon.svg`, 'utf8').trim();
  const iconName = `icon-${hashOf(icon)}.svg`;
  writeFileSync(`${TARGET}/${styleName}`, style);
  writeFileSync(`${TARGET}/${guidesName}`, guides);
  writeFileSync(`${TARGET}/${iconName}`, icon);
  const names = { script: output[0].fileName, style: styleName, icon: iconName };
  const shell = readFileSync(`${SOURCE}/index.html`, 'utf8');
  writeFileSync(
    `${TARGET}/index.html`,
    shell.replaceAll(/%(\w+)%/g, (_, name) => `/console/${names[name]}`),
  );
  return output;
}

/** The guides' programs by language: what sends a signed request, and what receives webhooks. */
function guidePrograms() {
  const programOf = (folder, end) => {
    const name = readdirSync(`${GUIDES}/${folder}`).find((file) => file.endsWith(end));
    return { name, text: readFileSync(`${GUIDES}/${folder}/${name}`, 'utf8') };
  };
  return Object.fromEntries(
    Object.entries(LANGUAGES).map(([language, end]) => [
      language,
      { request: programOf('requests', end), receiver: programOf('receivers', end) },
    ]),
  );
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('base64url').slice(0, 8);
}

function minifiedStyle(css) {
  return css
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .trim();
}
