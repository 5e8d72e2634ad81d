import type { Io } from '../../program/io.js';
import { hanging, indentedIfItFits } from '../../terminal/text.js';
import type { ReadyMessage } from './background.js';

export interface ReadyText extends Pick<ReadyMessage, 'url' | 'version' | 'env'> {
  /** Whether `start` itself forwards deliveries. */
  readonly forwards: boolean;
  /** Whether this terminal is free for the next command. */
  readonly isDetached: boolean;
  /** Whether a key turns on the test receiver, because nothing receives deliveries. */
  readonly offersReceiver?: boolean;
}

/** What a person needs; `env` prints all. The control token is there only where it is required. */
const SHOWN = [
  'SANDBOX_URL',
  'SANDBOX_ACCOUNT_ID',
  'SANDBOX_TOKEN',
  'SANDBOX_SIGNING_SECRET',
  'SANDBOX_WEBHOOK_SECRET',
  'SANDBOX_CONTROL_TOKEN',
];

/** What `start` prints once the sandbox is ready: what to do next, and the environment of the application. */
export function readyText(io: Pick<Io, 'colour' | 'columns' | 'program'>, ready: ReadyText): string {
  const { colour, columns, program } = io;
  const { url, version, forwards, isDetached, offersReceiver = false } = ready;
  const next = [
    ...(forwards ? [] : [`${program} listen --forward-to localhost:3000/webhooks`]),
    `${program} trigger pix.settled`,
  ];
  return [
    hanging(`${colour.bold('PIX sandbox')} ${version} is ready at ${colour.bold(url)}`, columns),
    ...consoleLines(ready, columns),
    '',
    colour.bold(isDetached ? 'Next:' : 'Next, in another terminal:'),
    ...next.map((command) => `  ${colour.cyan(hanging(command, columns, '    '))}`),
    ...(offersReceiver
      ? [hanging('Without an application: v turns on the test receiver, then t.', columns)]
      : []),
    '',
    colour.bold(hanging(`For your application (all of it: \`${program} env\`):`, columns)),
    environmentText(io, ready),
  ].join('\n');
}

/** Where the control API needs a token, the console does, too; a browser never sends what is after the `#`. */
function consoleLines({ url, env }: ReadyText, columns: number): string[] {
  const { SANDBOX_CONTROL_TOKEN: token } = env;
  return token === undefined
    ? []
    : [
        'Its console, in a browser of yours:',
        indentedIfItFits(`${url}/#token=${encodeURIComponent(token)}`, '  ', columns),
      ];
}

/** Lines for a file on a pipe; columns on a terminal, or values below their names where it is narrow. */
function environmentText({ colour, columns }: Pick<Io, 'colour' | 'columns'>, { env }: ReadyText): string {
  const shown = SHOWN.map((name) => [name, env[name] ?? ''] as const).filter(([, value]) => value !== '');
  if (columns === 0) return shown.map(([name, value]) => `  ${name}=${value}`).join('\n');
  const left = Math.max(...shown.map(([name]) => name.length)) + 2;
  if (shown.every(([, value]) => 2 + left + value.length <= columns))
    return shown.map(([name, value]) => `  ${name.padEnd(left)}${colour.cyan(value)}`).join('\n');
  return shown
    .flatMap(([name, value]) => [`  ${name}`, indentedIfItFits(colour.cyan(value), '  ', columns)])
    .join('\n');
}
