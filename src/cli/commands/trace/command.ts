import { rows } from '../../completion/sources.js';
import { declare } from '../../program/declaration.js';
import { required } from '../../program/options.js';
import { EXAMPLE_IDS } from '../../program/shared-options.js';

export const trace = declare({
  name: 'trace',
  summary: 'the story of a call, payment, event or delivery: what led to what',
  description:
    'A tree from the first cause down to each attempt and the calls that came back during ' +
    'it, and what is due next. Payments may be named by their code, attempts by `<delivery ' +
    'id>.<number>`.',
  args: { id: required(rows('deliveries')) },
  examples: [EXAMPLE_IDS.event],
  related: ['logs', 'calls', 'deliveries', 'agenda'],
});

export default { commands: [trace.runs(async () => (await import('./trace.js')).showTrace)] };
