import { Link } from '../frame/link.js';
import type { Console } from '../model/console.js';
import type { ListQuery } from './page-query.js';
import { listPath } from './page-query.js';

/** Leads to older and newer rows of a list, and back to the newest. */
export function Paging({
  model,
  path,
  query: { after, before, ...filter },
  paging,
}: {
  model: Console;
  path: string;
  query: ListQuery;
  paging: { readonly after: string | null; readonly before: string | null } | undefined;
}) {
  const { list } = model.words.payments;
  const isFirst = after === undefined && before === undefined;
  const older = paging?.after ?? undefined;
  const newer = paging?.before ?? undefined;
  if (isFirst && older === undefined) return null;
  return (
    <nav class="paging" aria-label={list.pages}>
      {isFirst ? null : (
        <Link model={model} to={listPath(path, filter)}>
          {list.newest}
        </Link>
      )}
      {isFirst || newer === undefined ? null : (
        <Link model={model} to={listPath(path, { ...filter, before: newer })}>
          {list.newer}
        </Link>
      )}
      {older === undefined ? null : (
        <Link model={model} to={listPath(path, { ...filter, after: older })}>
          {list.older}
        </Link>
      )}
    </nav>
  );
}
