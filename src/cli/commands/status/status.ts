import { present } from '../../sandbox/present.js';
import { statusText } from './text.js';

/** `sandbox status` */
export const showStatus = present((client) => client.get('status'), statusText);
