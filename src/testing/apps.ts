import type { ControlClient } from '../client/control.js';
import type { AccountView, AppView, AppWithSecrets, Scope } from '../shapes.js';
import type { OptionKinds } from './options.js';
import { checkedOptions, FLAG, listOf, TEXT } from './options.js';

/** A further account: its id, a UUID, and its opening balance, a decimal string such as `100.00`. */
export interface AccountFields {
  readonly account_id?: string | undefined;
  readonly opening_balance?: string | undefined;
}

/** The fields of a new application and of its first account. */
export interface AppFields extends AccountFields {
  readonly name?: string | undefined;
  readonly token?: string | undefined;
  readonly signing_secret?: string | undefined;
  readonly organization?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  /** Whether a new organization gets credentials of the identity API. */
  readonly kyc?: boolean | undefined;
}

const ACCOUNT_KINDS: OptionKinds<AccountFields> = { account_id: TEXT, opening_balance: TEXT };
const APP_KINDS: OptionKinds<AppFields> = {
  ...ACCOUNT_KINDS,
  name: TEXT,
  token: TEXT,
  signing_secret: TEXT,
  organization: TEXT,
  scopes: listOf(TEXT),
  kyc: FLAG,
};

/** The applications that call the service (§5). An application is named by its id or name. Every method rejects with SandboxError. */
export interface AppVerbs {
  /** A new application with its secrets; what is left out is drawn, and it has every scope unless `scopes` lists some or none. */
  readonly create: (fields?: AppFields) => Promise<AppWithSecrets>;
  readonly list: () => Promise<AppView[]>;
  /** Opens a further account: `addAccount('default', {opening_balance: '100.00'})`. */
  readonly addAccount: (app: string, fields?: AccountFields) => Promise<AccountView>;
}

/** @internal */
export function appVerbs(control: ControlClient): AppVerbs {
  return {
    create: async (fields = {}) =>
      control.post('apps', { body: checkedOptions('apps.create', fields, APP_KINDS) }),
    list: async () => (await control.get('apps')).data,
    addAccount: async (app, fields = {}) =>
      control.post('apps/:id/accounts', {
        id: app,
        body: checkedOptions('apps.addAccount', fields, ACCOUNT_KINDS),
      }),
  };
}
