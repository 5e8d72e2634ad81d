import type { Child } from 'hono/jsx';
import { ConfirmDialog } from '../dialogs/confirm-dialog.js';
import { KeysDialog } from '../dialogs/keys-dialog.js';
import { ReplayDialog } from '../dialogs/replay-dialog.js';
import { ChargeDialog, WithdrawalDialog } from '../dialogs/payment-dialog.js';
import { TriggerDialog } from '../dialogs/trigger-dialog.js';
import type { Console, DialogName } from '../model/console.js';

const DIALOGS: Readonly<Record<DialogName, (props: { model: Console }) => Child>> = {
  trigger: TriggerDialog,
  keys: KeysDialog,
  replay: ReplayDialog,
  charge: ChargeDialog,
  withdrawal: WithdrawalDialog,
  confirm: ConfirmDialog,
};

/** The dialog that is open. */
export function Dialogs({ model }: { model: Console }) {
  if (model.dialog === undefined) return null;
  const Shown = DIALOGS[model.dialog];
  return <Shown model={model} />;
}
