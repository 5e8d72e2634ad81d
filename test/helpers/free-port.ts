export { freePort } from '../../src/cli/faults/own-port.js';
