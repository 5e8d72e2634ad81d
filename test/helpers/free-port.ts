export { findFreePort as freePort } from '../../src/child.js';
