import { ALGORITHM_MISTAKES } from '../algorithms.js';
import { BODY_MISTAKES } from '../bodies.js';
import type { Dimension } from '../mistake.js';
import { orderMistakes } from '../orders.js';
import { ENDING_MISTAKES, SEPARATOR_MISTAKES } from '../separators.js';
import { TIMESTAMP_MISTAKES } from '../signed-timestamps.js';
import { WEBHOOK_BODY_MISTAKES, WEBHOOK_DIGEST_MISTAKES } from './contents.js';
import { ID_MISTAKES } from './ids.js';
import { WEBHOOK_KEY_MISTAKES } from './keys.js';
import { WEBHOOK_TIMESTAMP_MISTAKES } from './timestamps.js';

const JOINED = 'The bytes webhook-id.webhook-timestamp.body: three parts in this order, joined by dots.';
const RAW_BODY = 'The raw body is signed as its bytes, exactly as on the wire.';

const ORDER_MISTAKES = orderMistakes({
  right: ['id', 'timestamp', 'body'],
  names: {},
  likelyOrders: [
    ['timestamp', 'id', 'body'],
    ['timestamp', 'body', 'id'],
    ['id', 'body', 'timestamp'],
    ['body', 'id', 'timestamp'],
    ['body', 'timestamp', 'id'],
  ],
  likelyChoices: [['body']],
});

/** The tables of mistakes in a webhook's signature (§5.5), the likely ones first. */
export const WEBHOOK_DIMENSIONS: readonly Dimension[] = [
  {
    name: 'secret',
    expected:
      'The key is the base64-decoded part of the secret after whsec_; the secret is the current one of the endpoint.',
    mistakes: WEBHOOK_KEY_MISTAKES,
  },
  { name: 'body', expected: RAW_BODY, mistakes: [...BODY_MISTAKES, ...WEBHOOK_BODY_MISTAKES] },
  { name: 'digest', expected: RAW_BODY, mistakes: WEBHOOK_DIGEST_MISTAKES },
  {
    name: 'timestamp',
    expected: 'The text of webhook-timestamp, as sent.',
    mistakes: [...TIMESTAMP_MISTAKES, ...WEBHOOK_TIMESTAMP_MISTAKES],
  },
  { name: 'id', expected: 'The text of webhook-id, as sent.', mistakes: ID_MISTAKES },
  { name: 'separator', expected: JOINED, mistakes: SEPARATOR_MISTAKES },
  { name: 'ending', expected: JOINED, mistakes: ENDING_MISTAKES },
  { name: 'order', expected: JOINED, mistakes: ORDER_MISTAKES },
  { name: 'algorithm', expected: 'HMAC with SHA-256.', mistakes: ALGORITHM_MISTAKES },
];
