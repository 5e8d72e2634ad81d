import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');
const MOST_FILES = 6;

/** Every source file that names a field, in either spelling, with the reason. */
const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payer_name: {
    'contract/fields.ts': 'its definition',
    'check/checks/accept.ts': 'a charge of a company, which a check creates',
  },
  payer_document: {
    'contract/fields.ts': 'its definition',
    'check/checks/accept.ts': 'a charge of a company, which a check creates',
    'core/payments/documents.ts': 'a comment with the section of the contract',
    'signing/diagnosis/body-errors.ts': 'the order of keys in a body that signers get wrong',
  },
  beneficiary_name: { 'contract/fields.ts': 'its definition' },
  delivered_at: {
    'core/rows.ts': 'the stored field',
    'core/resources/resources.ts': 'the field of the response',
    'core/webhooks/deliveries.ts': 'the rule that sets it',
    'cli/commands/webhooks.ts': 'the sentence about the next step',
    'http/openapi/document.ts': 'an example',
  },
  updated_at: {
    'core/rows.ts': 'the stored field',
    'core/resources/resources.ts': 'the field of the response',
    'core/webhooks/endpoints.ts': 'the rule that sets it',
    'check/public.ts': 'an example of a place that a probe ignores',
    'cli/declarations/tests.ts': 'the same example in help',
  },
  visible_status: {
    'core/identity/session.ts': 'the rule',
    'core/identity/sessions.ts': 'the result of a session',
    'http/control/schema.ts': 'the field of the response',
    'http/service/routes.ts': 'the response of the service',
    'console/field-texts.ts': 'its label',
    'console/view/pages.tsx': 'the column',
  },
  opening_balance: {
    'core/identity/applications.ts': 'the input of the command',
    'core/payments/ledger.ts': 'the posting',
    'http/control/payments.ts': 'the body',
    'cli/commands/apps.ts': 'the option',
    'sandbox/credentials.ts': 'the balance of the default account',
    'testing/api.ts': 'an example',
  },
};

test.each(Object.entries(FILES))('%s is named only where there is a reason', (name, reasons) => {
  const spelling = new RegExp(name.replace('_', '_?'), 'i');
  const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => spelling.test(readFileSync(path, 'utf8')))
    .map((path) => path.slice(SRC.length + 1).replaceAll('\\', '/'));
  expect(files.toSorted()).toEqual(Object.keys(reasons).toSorted());
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
});
