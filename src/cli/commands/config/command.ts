import { declare } from '../../program/declaration.js';
import { flag } from '../../program/options.js';
import { unreadSettings } from '../../program/setting-options.js';

export const config = declare({
  name: 'config',
  summary: 'every setting, with its value and where it comes from',
  description:
    'Flags win over the environment, and the environment over sandbox.config.json. Give the flags of `start`, `listen` or `exec` to see what they would run with. Secrets are shown shortened.',
  options: { ...unreadSettings(), schema: flag('print the JSON Schema of sandbox.config.json') },
  examples: ['', '--port 8000', '--schema > sandbox.config.schema.json'],
  exits: {},
  related: ['start', 'listen', 'exec', 'doctor'],
});

export default { commands: [config.runs(async () => (await import('./config.js')).showConfig)] };
