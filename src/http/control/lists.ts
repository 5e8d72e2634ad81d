import { page, PAGE_FIELDS } from '../../core/page.js';
import type { World } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { optional } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import { oneOf } from '../../schema/values.js';
import { presentPage } from '../operation/pages.js';
import type { ControlRoute } from './control.js';
import { route } from './control.js';

interface Row<Status> {
  readonly ordinal: number;
  readonly status: Status;
}

/** GET a page of rows; the query may ask for those of one status. */
export function listRoute<Status extends string, Of extends Row<Status>>(
  path: string,
  statuses: readonly Status[],
  rowsOf: (world: World) => readonly Of[],
  present: (row: Of, sandbox: Sandbox) => object,
): ControlRoute {
  const query = object('a query', { status: optional(oneOf(statuses)), ...PAGE_FIELDS });
  return route('GET', path, { query }, ({ sandbox, query: { status, ...asked } }) => {
    const { world } = sandbox;
    const key = { list: `control/${path}`, filters: { status } };
    const matches = (row: Of) => status === undefined || row.status === status;
    return presentPage(page(world, rowsOf(world), key, asked, matches), (row) => present(row, sandbox));
  });
}
