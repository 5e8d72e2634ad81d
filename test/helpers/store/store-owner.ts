import { openStore } from '../../../src/store/store.js';

/**
 * A process that wants a data directory, for races between real ones. It says `ready`, waits for a word on its standard
 * input, and answers `owner` or why not; an owner stays until it is killed.
 */
const [directory = ''] = process.argv.slice(2);

process.stdout.write('ready\n');
process.stdin.once('data', () => {
  const nothing = () => undefined;
  const restorer = { state: nothing, entry: nothing };
  const options = { directory, coreVersion: 1, packageVersion: '0.1.0', restorer, onWarning: nothing };
  openStore(options).then(
    () => process.stdout.write('owner\n'),
    (error: unknown) => {
      process.stdout.write(`${String(error)}\n`);
      process.stdin.destroy();
    },
  );
});
