import type { DeliveryView } from '../../http/control/schema.js';
import { readReceiver } from '../first-steps/receiver.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';

/** Whether the signature held where the attempt arrived: the test receiver says so, and a listener's error. */
export function Verdict({
  model,
  delivery,
  number,
}: {
  model: Console;
  delivery: DeliveryView;
  number: number;
}) {
  const { receiver } = model.words;
  const received = readReceiver(model)?.received.find(
    ({ delivery_id: id, attempt }) => id === delivery.id && attempt === number,
  );
  if (received === undefined) return null;
  const { ok, message } = received.verdict;
  return <Ending outcome={{ text: receiver.verdict(ok, message), tone: ok ? 'good' : 'bad' }} />;
}
