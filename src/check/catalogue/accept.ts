import type { CheckEntry } from '../check.js';

/** What a receiver must take. */
export const ACCEPT: readonly CheckEntry[] = [
  {
    id: 'accept.types',
    level: 'must',
    clause: '§6',
    sends: 'one event of each of the five types',
    passes: '2xx for each',
    likely: 'the default of a switch over the types throws, or the secret is another',
    fix: 'acknowledge types that the application does nothing with',
    about:
      'An endpoint gets every type that it subscribed to. Respond 2xx even to events that the application ignores; otherwise they are retried for two days and then dead-lettered.',
    gates: { 'answer.redirect': 'what is redirected is not accepted' },
  },
  {
    id: 'accept.raw',
    level: 'must',
    clause: '§5.5',
    sends: 'a body with unusual spaces, line breaks, escapes and Unicode, also split within a character',
    passes: '2xx',
    likely: 'the body is parsed and written again before the signature is verified',
    fix: 'verify the raw bytes as they came, and parse afterwards',
    about:
      'The signature covers the bytes on the wire. A framework that parses JSON first throws these bytes away, and the JSON that is written again has other spaces, escapes or letters. A body may also arrive in pieces that end within a character.',
  },
  {
    id: 'accept.two-good-first',
    level: 'must',
    clause: '§5.5',
    sends: 'two signatures, the first of them valid',
    passes: '2xx',
    likely: 'the header is compared as a whole',
    fix: 'split webhook-signature at spaces, and accept if any entry matches',
    about:
      'For 24 hours after a secret was rotated, each delivery has a signature by the new and one by the old secret.',
  },
  {
    id: 'accept.two-good-last',
    level: 'must',
    clause: '§5.5',
    sends: 'two signatures, the last of them valid',
    passes: '2xx',
    likely: 'only the first signature is looked at',
    fix: 'accept if any of the signatures matches',
    about: 'During a rotation the receiver may still have the old secret, whose signature comes last.',
    gates: { 'accept.two-good-first': 'two signatures are not taken in any order' },
  },
  {
    id: 'accept.other-version',
    level: 'must',
    clause: 'Standard Webhooks',
    sends: 'a signature labeled v1a, then the valid one labeled v1',
    passes: '2xx',
    likely: 'a version that it does not know makes the receiver throw',
    fix: 'skip signatures of other versions',
    about:
      'Standard Webhooks allows several versions side by side, so that a new one can be introduced without breaking receivers.',
    gates: {
      'accept.two-good-first': 'two signatures are not taken in any order',
      'accept.two-good-last': 'only the first signature is looked at',
    },
  },
  {
    id: 'accept.skew',
    level: 'should',
    clause: '§5.5',
    sends: 'events that were signed 240 s ago, and 240 s ahead',
    passes: '2xx for both',
    likely: 'the tolerance is too small, or milliseconds are compared with seconds',
    fix: 'allow 300 s in both directions',
    about:
      'Clocks differ, and a delivery may wait in a queue. The reference receiver takes 300 s in both directions.',
  },
  {
    id: 'accept.extra-field',
    level: 'should',
    clause: '§9',
    sends: 'fields that do not exist yet, in the envelope and in the object',
    passes: '2xx',
    likely: 'a strict decoder refuses unknown fields',
    fix: 'ignore unknown fields',
    about:
      'The service can add fields without a new schema_version. A decoder that refuses them stops working on that day.',
  },
  {
    id: 'accept.unknown-type',
    level: 'should',
    clause: '§6',
    sends: 'an event of a type that does not exist yet',
    passes: '2xx, and the order is unchanged',
    likely: 'an unknown type ends in a 500, or is taken for a known one',
    fix: 'acknowledge unknown types and do nothing',
    about: 'New types come with time. They are no reason for an error, and they must not move an order.',
    gates: { 'accept.types': 'not even the known types are accepted' },
  },
  {
    id: 'accept.unknown-resource',
    level: 'should',
    clause: '§6 rule 2',
    sends: 'an event about a charge that the application never made',
    passes: '2xx',
    likely: 'the order is looked up, not found, and used all the same',
    fix: 'keep the event until the charge is known, and respond 2xx',
    about:
      'An event can arrive before the response to the request that created its charge is stored (rule 2). It belongs to an order that will exist in a moment.',
    gates: { 'accept.types': 'no event is accepted' },
  },
  {
    id: 'accept.document',
    level: 'should',
    clause: '§2.1',
    sends: 'a payment by a company with the alphanumeric CNPJ 12ABC34501DE35',
    passes: '2xx, and with a probe and an order command the order is paid',
    likely: 'documents are expected to have digits only',
    fix: 'store payer_document as text, and accept letters in its first twelve characters',
    about:
      'Since July 2026 a CNPJ may contain letters. Validation by digits, or a column for numbers, refuses the payment of such a company.',
    gates: { 'accept.types': 'no event is accepted' },
  },
  {
    id: 'accept.large',
    level: 'should',
    clause: 'Standard Webhooks',
    sends: 'a QR image of 256 KB',
    passes: '2xx',
    likely: 'the limit for bodies is too low',
    fix: 'allow bodies of at least 1 MB on this route',
    about:
      'An event carries its charge with the QR image. Many frameworks refuse bodies above 100 KB unless they are told otherwise.',
  },
  {
    id: 'accept.chunked',
    level: 'should',
    clause: 'RFC 9112 §7.1',
    sends: 'a body in chunks, without content-length',
    passes: '2xx',
    likely: 'the body is read by its content-length, which is not there',
    fix: 'read the body until it ends',
    about:
      'A proxy may pass a request on in chunks. A receiver that reads content-length bytes then reads none.',
  },
];
