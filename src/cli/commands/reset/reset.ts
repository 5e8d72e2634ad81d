import { present } from '../../sandbox/present.js';
import { clockText } from '../clock/text.js';

export const resetSandbox = present(
  (client) => client.post('reset'),
  (io, { clock }) => `The sandbox is as it was when it started.\n${clockText(io, clock)}`,
);
