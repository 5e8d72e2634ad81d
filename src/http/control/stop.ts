import { Refusal } from '../../contract/refusals.js';
import type { ControlRoute } from './control.js';
import { route } from './control.js';
import type { ServerFacts } from './status-view.js';

/** Stops the process of a sandbox; refused in a process with another purpose, such as a test run. */
export function stopRoute({ instanceId, pid, onStop }: ServerFacts): ControlRoute {
  return route('POST', 'stop', {}, () => {
    if (onStop === undefined) {
      throw new Refusal(
        'NOT_STOPPABLE',
        'This sandbox ends with the command or the program that created it.',
        {
          hint: 'End that command, or call `sandbox.close()` in that program.',
        },
      );
    }
    onStop();
    return { status: 202, body: { stopping: true, instance_id: instanceId, pid } };
  });
}
