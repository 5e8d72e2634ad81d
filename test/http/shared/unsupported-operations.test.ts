import { describe, expect } from 'vitest';
import {
  UNSUPPORTED_HINTS,
  hintForUnsupported,
  formatRoute,
} from '../../../src/http/shared/unsupported-operations.js';
import { createServiceRoutes } from '../../../src/http/service/routes.js';
import { API, test } from '../../helpers/http/api-client.js';
import { mistakesOf } from '../../helpers/documents/document-commands.js';
import { startSandbox } from '../../helpers/sandbox/sandbox.js';

const ID = '849e0378-bb69-4963-9fcd-10e97bbc2ef9';

describe('hints for unsupported operations', () => {
  test.each([
    ['GET', '/pix', /charges list/],
    [
      'GET',
      `/pix/${ID}`,
      /reads a charge. Webhooks .* GET \S+\/accounts\/\{id\}\/transactions .*charges show/,
    ],
    ['GET', `/pix/${ID}/qrcode`, /qr_code_base64/],
    ['POST', `/pix/${ID}/refund`, /no refund/],
    ['POST', `/pix/${ID}/pay`, /charges settle/],
    ['POST', `/pix/${ID}/cancel`, /charges expire/],
    ['DELETE', `/pix/${ID}`, /charges expire/],
    ['POST', '/withdrawals', /withdrawals create/],
    ['GET', `/withdrawals/${ID}`, /GET \S+\/withdrawals\..*withdrawals show/],
    ['POST', `/withdrawals/${ID}/cancel`, /withdrawals fail/],
    ['GET', `/accounts/${ID}`, /SANDBOX_ACCOUNT_ID/],
    ['GET', `/accounts/${ID}/balance`, /sum/],
    ['GET', '/transactions', /accounts\/\{id\}\/transactions/],
    ['PATCH', `/webhooks/${ID}`, /endpoints disable/],
    ['DELETE', `/webhook-endpoints/${ID}`, /endpoints delete/],
    ['POST', `/webhook-endpoints/${ID}/disable`, /endpoints disable.*endpoints enable/],
    ['POST', `/webhook-endpoints/${ID}/test`, /trigger pix\.settled/],
    ['GET', `/webhook-endpoints/${ID}/secret`, /rotate-secret/],
    ['GET', `/webhook-endpoints/${ID}/deliveries/${ID}`, /deliveries show/],
    ['GET', '/deliveries', /webhook-endpoints\/\{id\}\/deliveries/],
    ['GET', `/events/${ID}`, /events list/],
    ['POST', '/oauth/token', /SANDBOX_TOKEN/],
    ['GET', '/kyc/sessions', /kyc list/],
    ['GET', `/kyc/sessions/${ID}`, /sessions\/\{sessionId\}\/result.*kyc show/],
    ['DELETE', `/kyc/sessions/${ID}`, /kyc decide/],
  ])('hints for unsupported operations suggest an alternative to %s %s', (method, path, hint) => {
    for (const prefix of ['', '/v1', '/api/v1', API]) {
      expect(hintForUnsupported({ method, path: prefix + path })).toMatch(hint);
    }
  });

  test('hints for unsupported operations are in the 404 response, and in the 405 for another method', async ({
    api,
  }) => {
    const ask = async (method: string, path: string) => {
      const { status, body } = await api.send(method, path);
      return [status, body.error.hint];
    };
    expect(await ask('GET', `${API}/pix/${ID}`)).toEqual([404, expect.stringContaining('charges show')]);
    expect(await ask('GET', `${API}/pix`)).toEqual([405, expect.stringContaining('charges list')]);
    expect(await ask('GET', `/api/v1/kyc/sessions`)).toEqual([405, expect.stringContaining('kyc list')]);
    expect(await ask('PUT', `${API}/pix`)).toEqual([405, `Did you mean POST ${API}/pix?`]);
    expect(await ask('POST', `${API}/pixx`)).toEqual([404, `Did you mean POST ${API}/pix?`]);
    expect(await ask('GET', '/favicon.ico')).toEqual([404, expect.stringContaining(`begin with ${API}`)]);
  });
});

test.each([
  ['POST', `${API}/charges`],
  ['POST', '/pix'],
  ['GET', `${API}/webhooks`],
  ['POST', `/api/v1/kyc/sessions/${ID}/result`],
  ['GET', '/_sandbox/charges/order-1'],
  ['GET', '/favicon.ico'],
  ['GET', `/${'x'.repeat(100_000)}`],
])('%s %.40s gets no hint', (method, path) => {
  expect(hintForUnsupported({ method, path })).toBeUndefined();
});

test('the commands and the operations in hints exist', async () => {
  expect(await mistakesOf(UNSUPPORTED_HINTS.join('\n\n'), import.meta.filename)).toEqual([]);
  const routes = new Set(createServiceRoutes(startSandbox().world.assumed).map(formatRoute));
  const named = UNSUPPORTED_HINTS.flatMap((hint) => hint.match(/(?:GET|POST) \/[\w{}/-]+/g) ?? []);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !routes.has(name))).toEqual([]);
});
