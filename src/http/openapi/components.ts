import * as service from '../../core/resources/resources.js';
import * as values from '../../core/resources/values.js';
import { componentsOf } from '../../schema/component.js';
import * as bootstrap from '../control/bootstrap/schema.js';
import * as calls from '../control/calls/schema.js';
import * as check from '../control/check/schema.js';
import * as clock from '../control/clock/schema.js';
import * as faults from '../control/fault-schema.js';
import * as control from '../control/schema.js';
import * as state from '../control/state-schema.js';
import * as payments from '../control/payment-schema.js';
import * as ledger from '../control/ledger/schema.js';
import * as scenarios from '../control/scenarios/schema.js';
import * as schedule from '../control/webhooks/schedule.js';
import * as timeline from '../control/timeline/schema.js';
import * as receiver from '../control/webhooks/schema.js';
import * as identity from '../identity/schema.js';
import * as errors from '../operation/error-body.js';
import { MESSAGE_SCHEMAS } from './message-schemas.js';

const { pageOf } = values;
const { FEES, DESTINATION } = service;

export const SERVICE_SCHEMAS = componentsOf(errors, values, service, identity, [
  pageOf(service.WITHDRAWAL),
  pageOf(service.TRANSACTION),
  pageOf(service.ENDPOINT),
  pageOf(service.DELIVERY),
]);

export const CONTROL_SCHEMAS = {
  ...componentsOf(
    errors,
    values,
    { FEES, DESTINATION },
    control,
    calls,
    payments,
    faults,
    check,
    clock,
    state,
    timeline,
    schedule,
    bootstrap,
    receiver,
    ledger,
    scenarios,
    [
      pageOf(control.CHARGE_VIEW),
      pageOf(control.WITHDRAWAL_VIEW),
      pageOf(control.EVENT),
      pageOf(control.DELIVERY_LINE),
      pageOf(control.SESSION),
    ],
  ),
  ...MESSAGE_SCHEMAS,
};
