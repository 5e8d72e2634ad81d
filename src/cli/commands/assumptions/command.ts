import { ASKS_WHERE_NAMED } from '../../help/exit-statuses.js';
import { declare } from '../../program/declaration.js';

const assumptions = declare({
  name: 'assumptions',
  summary: 'what the contract leaves open, what is assumed here, and the alternatives',
  description:
    'Those of the running sandbox, or the defaults where none runs. Each has an id that `start --assume` takes, where there is a choice.',
  exits: ASKS_WHERE_NAMED,
  related: ['start', 'config'],
});

export default {
  commands: [assumptions.runs(async () => (await import('./assumptions.js')).showAssumptions)],
};
