import { files } from '../completion/sources.js';
import { text, texts, valued } from '../program/options.js';
import { unixSeconds } from '../program/instants.js';

export const SECRET_FILE = { secretFile: text('file', 'a file with one secret per line', files) };

export const WEBHOOK_SECRETS = {
  secret: texts('secret', 'whsec_… (default: SANDBOX_WEBHOOK_SECRET, or the running sandbox’s)'),
  ...SECRET_FILE,
};

/** Whole Unix seconds, given as a number or as an instant with a zone. */
export function seconds(placeholder: string, description: string) {
  return valued({ placeholder, description }, unixSeconds);
}

export const WEBHOOK_SECRET_FACT = {
  name: 'SANDBOX_WEBHOOK_SECRET',
  meaning: 'the secret, where no --secret is given',
};
