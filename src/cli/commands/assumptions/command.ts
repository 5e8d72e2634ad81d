import { ASKS_WHERE_NAMED } from '../../program/errors.js';
import { declare } from '../../program/declaration.js';

const assumptions = declare({
  name: 'assumptions',
  summary: 'what the contract leaves open, what is assumed here, and the alternatives',
  description:
    'Shows those of the running sandbox, or the defaults if none runs. Those with a choice ' +
    'have an id for `start --assume`.',
  exits: ASKS_WHERE_NAMED,
  related: ['start', 'config'],
});

export default {
  commands: [assumptions.runs(async () => (await import('./assumptions.js')).showAssumptions)],
};
