import { body as bodyOf } from '../../core/input/body.js';
import { USING_COMMANDS } from '../../sandbox/using-commands.js';
import { oneOf } from '../../schema/values.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';

const USE = bodyOf({ command: oneOf(USING_COMMANDS) });

/** Notes that a command uses the sandbox, for `exec`, to which it would look unused. */
export const USE_ROUTE: ControlRoute = route(
  'POST',
  'uses',
  { body: USE },
  ({ sandbox, body: { command } }) => {
    sandbox.note({ kind: 'command', id: null, title: `used by ${command}`, facts: { command } });
    return ok({ used_by: command });
  },
);
