import type { Child } from 'hono/jsx';
import type { Console } from '../model/console.js';
import type { Section } from '../model/routes.js';
import { ChargesPage } from './charges.js';
import { CheckPage } from './check/check.js';
import { LedgerPage } from './ledger.js';
import { TimePage } from './time.js';
import { WithdrawalsPage } from './withdrawals.js';
import { EndpointsPage } from './endpoints/endpoints.js';
import { FaultsPage } from './faults/faults.js';
import { IdentityPage } from './identity/identity.js';
import { SavedPage } from './saved/saved.js';
import { ScenariosPage } from './scenarios/scenarios.js';
import { SetupPage } from './setup/setup.js';

/** The page of each section; the live list has none. */
export const PAGES: Partial<Record<Section, (props: { model: Console }) => Child>> = {
  charges: ChargesPage,
  withdrawals: WithdrawalsPage,
  ledger: LedgerPage,
  time: TimePage,
  endpoints: EndpointsPage,
  faults: FaultsPage,
  identity: IdentityPage,
  saved: SavedPage,
  scenarios: ScenariosPage,
  check: CheckPage,
  setup: SetupPage,
};
