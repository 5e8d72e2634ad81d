import { Link } from '../frame/link.js';
import type { Console } from '../model/console.js';
import type { DetailKind, DetailRoute } from '../model/routes.js';
import { closedPath } from '../model/routes.js';
import { CallDetail } from './call-detail.js';
import { ChargeDetail } from './payments/charge-detail.js';
import { DeliveryDetail } from './delivery-detail.js';
import { EndpointDetail } from './endpoint-detail.js';
import { EventDetail } from './event-detail.js';
import type { DetailOf } from './loaded.js';
import { StoryView } from './story.js';
import { WithdrawalDetail } from './payments/withdrawal-detail.js';
import { SessionDetail } from './session-detail.js';

const DETAILS: Partial<Record<DetailKind, DetailOf>> = {
  calls: CallDetail,
  events: EventDetail,
  deliveries: DeliveryDetail,
  charges: ChargeDetail,
  withdrawals: WithdrawalDetail,
  endpoints: EndpointDetail,
  identity: SessionDetail,
};

/** What is open beside the list: one call, event, delivery or row, or its story. */
export function Detail({ model }: { model: Console }) {
  const { detail } = model.route;
  const Shown = detail && DETAILS[detail.kind];
  if (detail === undefined || Shown === undefined) return null;
  const { words } = model;
  return (
    <section class="detail" aria-label={words.detail.region}>
      <button type="button" class="quiet close" onClick={() => closeDetail(model)}>
        {words.close}
      </button>
      <nav class="views" aria-label={words.detail.views}>
        <Link model={model} to={detailPath(detail)} current={detail.isStory ? undefined : 'true'}>
          {words.detail.region}
        </Link>
        <Link model={model} to={`${detailPath(detail)}#story`} current={detail.isStory ? 'true' : undefined}>
          {words.detail.story}
        </Link>
      </nav>
      {detail.isStory ? (
        <StoryView model={model} id={detail.id} />
      ) : (
        <Shown model={model} id={detail.id} attempt={detail.attempt} />
      )}
    </section>
  );
}

/** The address of what is open, in the list as it is filtered. */
function detailPath({ kind, id }: DetailRoute): string {
  return `/${kind}/${encodeURIComponent(id)}${location.search}`;
}

/** Back to the list that the detail was opened from. */
export function closeDetail(model: Console): void {
  model.go(closedPath(model.route, location));
  model.focusList();
}
