import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../harness/commands.js';
import { Missing, npmCode } from '../harness/missing.js';

const DOCUMENTS = fileURLToPath(new URL('../user/documents.js', import.meta.url));
/** Too large for everybody who installs the checkout. */
const LINTERS = ['@redocly/cli@2', '@stoplight/spectral-cli@6'];
const RULESET = 'extends: ["spectral:oas"]\n';

/**
 * Neither Redocly nor Spectral finds an error in the OpenAPI documents of the installed package. Throws Missing.
 * @param {import('../harness/release.js').Release} release
 */
export async function openapi({ env, folder, userFolder }) {
  const linters = join(folder, 'openapi');
  await bring(linters, env);
  cpSync(DOCUMENTS, join(userFolder, 'documents.js'));
  const printed = await run([process.execPath, 'documents.js'], { cwd: userFolder, env });
  const files = printed.split('\n').map((document, index) => {
    const file = `document-${index + 1}.json`;
    writeFileSync(join(linters, file), document);
    return file;
  });
  writeFileSync(join(linters, 'ruleset.yaml'), RULESET);
  const options = { cwd: linters, env: { ...env, REDOCLY_TELEMETRY: 'off' } };
  const npx = ['npx', '--no', '--offline', '--'];
  await run([...npx, 'redocly', 'lint', '--extends', 'recommended', ...files], options);
  await run(
    [...npx, 'spectral', 'lint', '--ruleset', 'ruleset.yaml', '--display-only-failures', ...files],
    options,
  );
  return `no errors in ${files.length} documents (Redocly, Spectral)`;
}

async function bring(linters, env) {
  mkdirSync(linters);
  writeFileSync(join(linters, 'package.json'), '{ "name": "linters", "private": true }\n');
  const install = ['npm', 'install', '--prefer-offline', '--fetch-retries=0', '--ignore-scripts'];
  try {
    await run([...install, ...LINTERS], { cwd: linters, env });
  } catch (error) {
    throw new Missing(`npm could not bring ${LINTERS.join(' and ')}: ${npmCode(error)}`);
  }
}
