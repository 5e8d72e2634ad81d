import type { BodyOf } from '../../program/declaration.js';
import { present } from '../../sandbox/present.js';
import { clockText } from '../clock/text.js';
import type { reset } from './command.js';

export const resetSandbox: BodyOf<typeof reset> = present(
  (client, { options: { scope } }) => client.post('reset', { body: { scope } }),
  (io, { clock }, { options: { scope } }) => {
    const parts = scope && `Started over: ${scope.join(', ')}. The rest stays.`;
    return `${parts ?? 'The sandbox is as it was when it started.'}\n${clockText(io, clock)}`;
  },
);
