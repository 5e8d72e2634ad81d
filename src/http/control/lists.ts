import type { ListKey } from '../../core/page.js';
import { page, PAGE_FIELDS } from '../../core/page.js';
import type { App, World } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { optional } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import { oneOf } from '../../schema/values.js';
import { presentPage } from '../operation/pages.js';
import type { ControlRoute } from './control.js';
import { route } from './control.js';
import { appFilter, OF_APP } from './of-app.js';

interface Row<Status> {
  readonly ordinal: number;
  readonly status: Status;
}

/** What the cursors of a list are bound to. */
export function listKey(path: string, filters: ListKey['filters']): ListKey {
  return { list: `control/${path}`, filters };
}

/** GET a page of rows; the query may ask for those of one status and of one application. */
export function listRoute<Status extends string, Of extends Row<Status>>(
  path: string,
  statuses: readonly Status[],
  rowsOf: (world: World) => readonly Of[],
  present: (row: Of, sandbox: Sandbox) => object,
  isOf: (row: Of, app: App) => boolean,
): ControlRoute {
  const query = object('a query', { status: optional(oneOf(statuses)), ...OF_APP.fields, ...PAGE_FIELDS });
  return route('GET', path, { query }, ({ sandbox, query: { status, app: named, ...asked } }) => {
    const { world } = sandbox;
    const app = appFilter(world, named);
    const key = listKey(path, { status, app: app?.id });
    const matches = (row: Of) =>
      (status === undefined || row.status === status) && (app === undefined || isOf(row, app));
    return presentPage(page(world, rowsOf(world), key, asked, matches), (row) => present(row, sandbox));
  });
}
