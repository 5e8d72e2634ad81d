import type { DoorContext } from '../operation/answer.js';
import { newRequestId } from '../operation/answer.js';
import { MESSAGE_TYPE } from './notice.js';
import { SDK_SOURCE } from './sdk-source.js';

const SOURCE = SDK_SOURCE.replace('MESSAGE_TYPE', `'${MESSAGE_TYPE}'`);

/** `GET /sdk.js`: the browser SDK. The guards admit only registered origins, and those may read it. */
export function serveSdk(c: DoorContext): Response {
  const origin = c.req.header('origin');
  return new Response(c.req.method === 'HEAD' ? null : SOURCE, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-request-id': newRequestId(),
      vary: 'origin',
      ...(origin !== undefined && { 'access-control-allow-origin': origin }),
    },
  });
}
