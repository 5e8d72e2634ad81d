export { freePort } from '../../src/child.js';
