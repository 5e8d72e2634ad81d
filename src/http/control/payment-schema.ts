import * as is from '../../core/resources/values.js';
import type { Infer } from '../../schema/schema.js';
import { CHARGE_VIEW } from './schema.js';

export const CHARGE_DETAIL = is.resource(
  'ChargeDetail',
  'A charge, and where a browser opens its pay page.',
  {
    ...CHARGE_VIEW.fields,
    pay_url: is.TEXT,
  },
);
export type ChargeDetail = Infer<typeof CHARGE_DETAIL>;
