export { freePort } from '../../src/cli/faults/restarts.js';
