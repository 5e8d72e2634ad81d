import { constant, json, oneof, record, string, uniqueArray } from 'fast-check';
import { createRequestErrors } from '../../../src/signing/diagnosis/request-errors.js';
import { readRequest } from '../../../src/signing/diagnosis/request.js';
import { FORMAT_ERROR_IDS, listReadings } from '../../../src/signing/diagnosis/signature-text.js';
import { DEFAULT_REQUEST_SCHEME, diagnoseRequest, verifyRequest } from '../../../src/signing/index.js';
import { pathTexts } from '../../helpers/signing/path-texts.js';
import { describeDiagnosis } from './describe-diagnosis.js';
import { REQUEST_MISTAKES } from './request-bugs.js';
import {
  credentialsBeside,
  OTHER_APPLICATION_SECRET,
  REQUEST_SECRET,
  requestDraft,
  SENT_AT_S,
} from './sender.js';

const CHARGE = {
  code: 'pedido/42',
  account_id: '0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10',
  amount: '10.50',
  payer_document: '39053344705',
  payer_name: 'João & Cia <Ltda>',
  metadata: { loja: 'São Paulo', vendedor: 'Zé' },
  note: null,
};
const RETRY =
  '/api/public/v1/webhook-endpoints/0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10/deliveries/5d7a3c1e-1b2f-4e6a-9c8d-7e6f5a4b3c2d/retry';

const MESSAGES = {
  'a charge in compact JSON': { method: 'POST', target: '/api/public/v1/pix', body: JSON.stringify(CHARGE) },
  'a charge in spaced JSON, with a query': {
    method: 'POST',
    target: '/api/public/v1/pix?b=2&a=1',
    body: JSON.stringify(CHARGE).replaceAll(',"', ', "').replaceAll('":', '": '),
  },
  'a charge in indented JSON with a line break behind': {
    method: 'POST',
    target: '/api/public/v1/pix',
    body: `${JSON.stringify(CHARGE, null, 2)}\n`,
  },
  'a retry without a body': { method: 'POST', target: RETRY, body: '' },
  'a path with escapes and double slashes': {
    method: 'POST',
    target: '/api/public/v1//Caf%C3%A9/./x?b=2&a=1',
    body: Buffer.from([0xff, 0x00, 0x7b, 0x0a, 0x20]),
  },
};

const KNOWN = {
  secret: REQUEST_SECRET,
  otherSecrets: [
    { name: 'second application', secret: OTHER_APPLICATION_SECRET },
    ...credentialsBeside(REQUEST_SECRET),
  ],
  nowS: SENT_AT_S + 2,
};

const key = string({ minLength: 12, maxLength: 64 });

describeDiagnosis<Parameters<typeof requestDraft>[0]>({
  kind: 'request',
  messages: MESSAGES,
  mistakes: REQUEST_MISTAKES,
  leastMistakes: 60,
  ids: [
    ...createRequestErrors(DEFAULT_REQUEST_SCHEME).flatMap(({ errors }) => errors.map(({ id }) => id)),
    ...FORMAT_ERROR_IDS,
  ],
  // These need another scheme or another secret than the messages here have; they have tests of their own.
  elsewhere: ['path-without-query', 'digest-hex', 'signature-hex', 'secret-trimmed', 'secret-url-encoded'],
  pairSeed: 20,
  draftOf: requestDraft,
  holds: (sent) => verifyRequest({ ...sent, secret: REQUEST_SECRET, nowS: KNOWN.nowS }).ok,
  diagnose: (sent, effort) => diagnoseRequest(sent, { ...KNOWN, effort }),
  read: (sent) => readRequest(sent, KNOWN),
  readingsOf: (signature) => listReadings(signature, 'hex'),
  unknown: {
    seed: 1,
    message: record({
      method: constant('POST'),
      target: pathTexts.map((path) => `/api/public/v1/pix${path}`),
      body: oneof(json(), string()).map((text) => Buffer.from(text)),
    }),
    key,
    keys: uniqueArray(key, { minLength: 20, maxLength: 20 }),
  },
});
