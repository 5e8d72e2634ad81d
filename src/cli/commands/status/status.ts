import type { StatusView } from '../../../http/control/schema.js';
import { present } from '../../sandbox/present.js';
import { statusText } from './text.js';

/** `sandbox status` */
export const showStatus = present((client) => client.get<StatusView>('status'), statusText);
