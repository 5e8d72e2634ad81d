import type { BodyOf } from '../../program/declaration.js';
import { present } from '../../sandbox/present.js';
import { clockText } from '../clock/text.js';
import type { reset } from './command.js';

/** `sandbox reset` */
export const resetSandbox: BodyOf<typeof reset> = (invocation) => {
  const { scope } = invocation.options;
  const said =
    scope === undefined
      ? 'The sandbox is as it was when it started.'
      : `Started over: ${scope.join(', ')}. The rest stays.`;
  const answered = present(
    (client) => client.post('reset', { body: { scope } }),
    (io, { clock }) => `${said}\n${clockText(io, clock)}`,
  );
  return answered(invocation);
};
