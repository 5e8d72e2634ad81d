import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../harness/commands.js';
import { ROOT } from '../harness/release.js';

const COMPILER_OPTIONS = {
  module: 'NodeNext',
  target: 'ES2023',
  lib: ['ES2023', 'ESNext.Disposable'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
};

const PROGRAM = `
import { createSandbox, type ChargeResource } from 'pix-sandbox';
import { createReceiver } from 'pix-sandbox/testing';
import { verifyWebhook } from 'pix-sandbox/signing';

await using sandbox = await createSandbox({ seed: '7' });
const receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
sandbox.forwardTo(receiver);
await sandbox.trigger('pix.settled');
const event = await receiver.waitFor('pix.settled');
export const charge: ChargeResource = event.data.object;
export const verdict = verifyWebhook({ headers: {}, body: '', secrets: '', nowS: 0 });
export const why: string | undefined = verdict.ok ? undefined : verdict.cause;
`;
/** A mistake that types are there for. */
const MISTAKE = `export const amount: number = charge.amount;\n`;

/**
 * The types say what they should in a strict program of a user: also no, where it is wrong.
 * @param {import('../harness/release.js').Release} release
 */
export async function types({ userFolder, env }) {
  const compile = async (program, exitCode) => {
    writeFileSync(join(userFolder, 'program.ts'), program);
    const tsc = [process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'];
    return run(tsc, { cwd: userFolder, env }, exitCode);
  };
  const tsconfig = { compilerOptions: COMPILER_OPTIONS, files: ['program.ts'] };
  writeFileSync(join(userFolder, 'tsconfig.json'), JSON.stringify(tsconfig));
  await compile(PROGRAM, 0);
  const said = await compile(PROGRAM + MISTAKE, 1);
  if (!said.includes("Type 'string' is not assignable to type 'number'")) {
    throw new Error(`Expected the compiler to refuse a text where a number must be; it said:\n${said}`);
  }
  return 'a strict program compiles, one with a mistake does not (NodeNext)';
}
