// Adds the repository of the CI job to package.json, so that the published package names its source and bug tracker.
import { readFileSync, writeFileSync } from 'node:fs';

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
if (!server || !name) {
  console.error(
    'Expected GITHUB_SERVER_URL and GITHUB_REPOSITORY, as GitHub sets them; run this only in CI.',
  );
  process.exit(2);
}
const home = `${server}/${name}`;
const packageJson = JSON.parse(readFileSync('package.json', 'utf8'));
const fields = {
  repository: { type: 'git', url: `git+${home}.git` },
  bugs: { url: `${home}/issues` },
  homepage: `${home}#readme`,
};
writeFileSync('package.json', `${JSON.stringify({ ...packageJson, ...fields }, null, 2)}\n`);
