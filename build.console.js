// Bundles the console for browsers: a shell, one script and one style sheet, whose names change with their content.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';

const SOURCE = 'src/console';
const TARGET = 'dist/console';

/** Writes `dist/console`; answers the chunks, for the notices of what they contain. */
export async function buildConsole() {
  const { output } = await build({
    input: { console: `${SOURCE}/main.tsx` },
    platform: 'browser',
    tsconfig: `${SOURCE}/tsconfig.json`,
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    transform: { target: 'es2022' },
    output: { dir: TARGET, format: 'esm', minify: true, entryFileNames: '[name]-[hash].js' },
  });
  const style = minifiedStyle(readFileSync(`${SOURCE}/style.css`, 'utf8'));
  const styleName = `console-${hashOf(style)}.css`;
  const icon = readFileSync(`${SOURCE}/icon.svg`, 'utf8').trim();
  const iconName = `icon-${hashOf(icon)}.svg`;
  writeFileSync(`${TARGET}/${styleName}`, style);
  writeFileSync(`${TARGET}/${iconName}`, icon);
  const names = { script: output[0].fileName, style: styleName, icon: iconName };
  const shell = readFileSync(`${SOURCE}/index.html`, 'utf8');
  writeFileSync(
    `${TARGET}/index.html`,
    shell.replaceAll(/%(\w+)%/g, (_, name) => `/console/${names[name]}`),
  );
  return output;
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
