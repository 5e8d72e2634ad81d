import type { PaymentKind } from './transitions.js';

/** Selects a field's schemas (`core/input/kinds.ts`) and the placeholder of its CLI option. */
type FieldKind = 'code' | 'id' | 'money' | 'name' | 'document' | 'key' | 'metadata';

export interface PaymentField {
  readonly kind: FieldKind;
  /** Stored value of an absent field; undefined for required fields. */
  readonly empty?: null | Readonly<Record<string, never>>;
  /** Console label and help text: `English | Portuguese`. */
  readonly label: string;
  readonly help?: string;
  /** Description of the CLI option. */
  readonly option: string;
  /** Used in documentation and generated payments. */
  readonly example: string | object;
  /** Identifies a person, or can contain anything: `report` hides the value. */
  readonly isPersonal?: true;
}

/** Fields by API name. */
export type FieldTable = Readonly<Record<string, PaymentField>>;

const NAME = { kind: 'name', empty: null, example: 'Maria da Silva', isPersonal: true } as const;
const DOCUMENT = { kind: 'document', empty: null, example: '52998224725', isPersonal: true } as const;

const SHARED = {
  code: {
    kind: 'code',
    label: 'Code | Código',
    help: 'Your identifier. Leave empty to generate one. | Seu identificador. Deixe vazio para gerar um.',
    option: 'your identifier',
    example: 'order-1042',
  },
  account_id: {
    kind: 'id',
    label: 'Account | Conta',
    option: 'account of the application (default: the first account)',
    example: '00000000-0000-4000-8000-000000000001',
  },
  amount: {
    kind: 'money',
    label: 'Amount | Valor',
    help: 'For example, 10.00. | Por exemplo, 10.00.',
    option: 'amount in BRL, e.g. 10.00',
    example: '10.00',
  },
  metadata: {
    kind: 'metadata',
    empty: {},
    label: 'Metadata | Metadados',
    help: 'One key=value per line. | Um par chave=valor por linha.',
    option: 'one metadata entry',
    example: {},
    isPersonal: true,
  },
} as const satisfies FieldTable;

/** Input fields specific to charges (§4.1) or withdrawals (§2.2), in response order. */
const OWN = {
  charge: {
    payer_name: { ...NAME, label: 'Payer | Pagador', option: 'payer’s name' },
    payer_document: {
      ...DOCUMENT,
      label: 'Payer’s document | Documento do pagador',
      option: 'payer’s CPF or CNPJ',
    },
  },
  withdrawal: {
    pix_key: {
      kind: 'key',
      label: 'PIX key | Chave PIX',
      help: 'CPF, CNPJ, e-mail, +55 phone or random key. | CPF, CNPJ, e-mail, telefone +55 ou chave aleatória.',
      option: 'CPF, CNPJ, e-mail, +55 phone or random key',
      example: '52998224725',
      isPersonal: true,
    },
    beneficiary_document: {
      ...DOCUMENT,
      label: 'Beneficiary’s document | Documento do beneficiário',
      option: 'beneficiary’s CPF or CNPJ',
    },
    beneficiary_name: { ...NAME, label: 'Beneficiary | Beneficiário', option: 'beneficiary’s name' },
  },
} as const satisfies Readonly<Record<PaymentKind, FieldTable>>;

const { metadata, ...needed } = SHARED;

/** Payment input fields: `own` for one kind, `all` for both kinds, and the complete fields of each kind. */
export const PAYMENT_FIELDS = {
  own: OWN,
  all: { ...needed, ...OWN.charge, ...OWN.withdrawal, metadata },
  charge: { ...needed, ...OWN.charge, metadata },
  withdrawal: { ...needed, ...OWN.withdrawal, metadata },
};

export type Metadata = Readonly<Record<string, string>>;

/** Field values in responses. */
export type ShownValues<Fields> = {
  readonly [Name in keyof Fields]:
    | (Fields[Name] extends { readonly kind: 'metadata' } ? Metadata : string)
    | (Fields[Name] extends { readonly empty: null } ? null : never);
};

/** Field values in stored rows, keyed by row name, e.g. `payerName` or `amountCents`. */
export type StoredValues<Fields> = {
  readonly [
    Name in keyof Fields as Name extends 'amount' ? 'amountCents' : CamelCase<Name>
  ]: Name extends 'amount' ? number : ShownValues<Fields>[Name];
};

/** JSON of a new payment; the sandbox fills in absent fields. */
export type NewPayment<Of extends PaymentKind> = {
  readonly [Name in keyof PaymentFields[Of]]?: ShownValues<PaymentFields[Of]>[Name] | null | undefined;
};

/** Stored input of a payment. */
export type PaymentInput<Of extends PaymentKind> = StoredValues<PaymentFields[Of]>;
type PaymentFields = typeof PAYMENT_FIELDS;

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name & string;

export function toCamelCase(name: string): string {
  return name.replaceAll(/_[a-z]/g, (letter) => letter.charAt(1).toUpperCase());
}

export function toStoredName(name: string): string {
  return name === 'amount' ? 'amountCents' : toCamelCase(name);
}

/** Builds an object with an entry for each field. */
export function mapFields<Value>(
  table: FieldTable,
  entryOf: (name: string, field: PaymentField) => readonly [string, Value],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(table).map(([name, field]) => entryOf(name, field)));
}

export function listOptionalNames<Fields extends FieldTable>(fields: Fields) {
  return Object.keys(fields).filter((name) => fields[name]?.empty !== undefined) as (keyof Fields & string)[];
}

/** Returns the default stored values or the examples of all fields; example amounts are not in cents. */
export function createFieldDefaults<Fields extends FieldTable>(
  fields: Fields,
  property: 'empty' | 'example',
) {
  return mapFields(fields, (name, field) => [toStoredName(name), field[property]]) as StoredValues<Fields>;
}
