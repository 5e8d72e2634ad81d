import * as service from '../../core/resources/resources.js';
import * as values from '../../core/resources/values.js';
import { componentsOf } from '../../schema/component.js';
import * as apps from '../control/apps.js';
import * as calls from '../control/calls.js';
import * as check from '../control/check.js';
import * as clock from '../control/clock.js';
import * as deliveries from '../control/deliveries.js';
import * as events from '../control/events.js';
import * as faults from '../control/faults.js';
import * as payments from '../control/payments.js';
import * as receiver from '../control/receiver.js';
import * as scenarios from '../control/scenarios.js';
import * as system from '../control/system.js';
import * as timeline from '../control/timeline.js';
import * as sessions from '../control/identity.js';
import * as state from '../control/state-schema.js';
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
    apps,
    calls,
    check,
    clock,
    deliveries,
    events,
    faults,
    payments,
    receiver,
    scenarios,
    system,
    timeline,
    sessions,
    state,
    [
      pageOf(payments.CHARGE_VIEW),
      pageOf(payments.WITHDRAWAL_VIEW),
      pageOf(events.EVENT),
      pageOf(events.DELIVERY_LINE),
      pageOf(sessions.SESSION),
    ],
  ),
  ...MESSAGE_SCHEMAS,
};
