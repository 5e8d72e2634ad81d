import { declare } from '../../program/declaration.js';
import { choice, otherwise } from '../../program/options.js';
import { ENV_FORMATS } from './formats.js';

export const env = declare({
  name: 'env',
  summary: 'print the environment variables that your application needs',
  description: 'No other command shows these values in full. On loopback they are the same on every start.',
  options: {
    format: otherwise(
      choice('format', 'dotenv, json, shell or github (default: dotenv)', ENV_FORMATS),
      'dotenv',
    ),
  },
  examples: ['> .env.test', '--format shell'],
  related: ['start', 'exec'],
});

export default { commands: [env.runs(async () => (await import('./env.js')).printEnv)] };
