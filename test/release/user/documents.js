// Prints the OpenAPI documents, one a line.
import { createSandbox } from 'pix-sandbox';

const sandbox = await createSandbox({ seed: '7' });
for (const path of ['/openapi.json', '/_sandbox/openapi.json']) {
  const response = await fetch(sandbox.env.SANDBOX_URL + path);
  console.log(JSON.stringify(await response.json()));
}
await sandbox.close();
