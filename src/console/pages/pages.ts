import type { Child } from 'hono/jsx';
import type { Console } from '../model/console.js';
import type { Section } from '../model/routes.js';
import { ChargesPage } from './charges.js';
import { LedgerPage } from './ledger.js';
import { TimePage } from './time.js';
import { WithdrawalsPage } from './withdrawals.js';

/** The page of each section; the live list has none. */
export const PAGES: Partial<Record<Section, (props: { model: Console }) => Child>> = {
  charges: ChargesPage,
  withdrawals: WithdrawalsPage,
  ledger: LedgerPage,
  time: TimePage,
};
