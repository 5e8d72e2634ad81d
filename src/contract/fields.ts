import type { PaymentKind } from './transitions.js';

/**
 * Kind of a field, for reading, storing and presenting it (`core/input/kinds.ts`), and the placeholder of its
 * option.
 */
type FieldKind = 'code' | 'id' | 'money' | 'name' | 'document' | 'key' | 'metadata';

export interface PaymentField {
  readonly kind: FieldKind;
  /** The stored value of an absent field; a field without one is required. */
  readonly empty?: null | Readonly<Record<string, never>>;
  /** Label and help of the console: `English | Portuguese`. */
  readonly label: string;
  readonly help?: string;
  /** The description of the option of commands. */
  readonly option: string;
  /** In documents and of invented payments. */
  readonly example: string | object;
}

/** Fields by their API names. */
export type FieldTable = Readonly<Record<string, PaymentField>>;

const NAME = { kind: 'name', empty: null, example: 'Maria da Silva' } as const;
const DOCUMENT = { kind: 'document', empty: null, example: '52998224725' } as const;

const SHARED = {
  code: {
    kind: 'code',
    label: 'Code | Código',
    help: 'Your identifier. Leave empty to generate one. | Seu identificador. Deixe vazio para gerar um.',
    option: 'your own identifier',
    example: 'order-1042',
  },
  account_id: {
    kind: 'id',
    label: 'Account | Conta',
    option: 'an account of the application instead of its first',
    example: '00000000-0000-4000-8000-000000000001',
  },
  amount: {
    kind: 'money',
    label: 'Amount | Valor',
    help: 'For example 10.00. | Por exemplo, 10.00.',
    option: 'such as 10.00',
    example: '10.00',
  },
  metadata: {
    kind: 'metadata',
    empty: {},
    label: 'Metadata | Metadados',
    help: 'One key=value per line. | Um par chave=valor por linha.',
    option: 'one entry of the metadata',
    example: {},
  },
} as const satisfies FieldTable;

/** The input fields of only charges (§4.1) or only withdrawals (§2.2), in the order of responses. */
const OWN = {
  charge: {
    payer_name: { ...NAME, label: 'Payer | Pagador', option: 'who pays' },
    payer_document: {
      ...DOCUMENT,
      label: 'Payer’s document | Documento do pagador',
      option: 'CPF or CNPJ of who pays',
    },
  },
  withdrawal: {
    pix_key: {
      kind: 'key',
      label: 'PIX key | Chave PIX',
      help: 'CPF, CNPJ, e-mail, +55 phone or random key. | CPF, CNPJ, e-mail, telefone +55 ou chave aleatória.',
      option: 'CPF, CNPJ, e-mail, +55 phone or random key',
      example: '52998224725',
    },
    beneficiary_document: {
      ...DOCUMENT,
      label: 'Beneficiary’s document | Documento do beneficiário',
      option: 'CPF or CNPJ of who is paid',
    },
    beneficiary_name: { ...NAME, label: 'Beneficiary | Beneficiário', option: 'who is paid' },
  },
} as const satisfies Readonly<Record<PaymentKind, FieldTable>>;

const { metadata, ...needed } = SHARED;

/** The input fields of payments: of only one kind, of either, and of each. */
export const PAYMENT_FIELDS = {
  own: OWN,
  all: { ...needed, ...OWN.charge, ...OWN.withdrawal, metadata },
  charge: { ...needed, ...OWN.charge, metadata },
  withdrawal: { ...needed, ...OWN.withdrawal, metadata },
};

export type Metadata = Readonly<Record<string, string>>;

/** The values of fields in responses. */
export type ShownValues<Fields> = {
  readonly [Name in keyof Fields]:
    | (Fields[Name] extends { readonly kind: 'metadata' } ? Metadata : string)
    | (Fields[Name] extends { readonly empty: null } ? null : never);
};

/** The values of fields in rows, by their names there: `payerName`, `amountCents`. */
export type StoredValues<Fields> = {
  readonly [
    Name in keyof Fields as Name extends 'amount' ? 'amountCents' : CamelCase<Name>
  ]: Name extends 'amount' ? number : ShownValues<Fields>[Name];
};

/** The JSON of a new payment; the sandbox chooses absent fields. */
export type NewPayment<Of extends PaymentKind> = {
  readonly [Name in keyof PaymentFields[Of]]?: ShownValues<PaymentFields[Of]>[Name] | null | undefined;
};

/** The stored input of a payment. */
export type PaymentInput<Of extends PaymentKind> = StoredValues<PaymentFields[Of]>;
type PaymentFields = typeof PAYMENT_FIELDS;

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name & string;

export function camelCase(name: string): string {
  return name.replaceAll(/_[a-z]/g, (letter) => letter.charAt(1).toUpperCase());
}

export function toStoredName(name: string): string {
  return name === 'amount' ? 'amountCents' : camelCase(name);
}

/** An object with an entry for each field. */
export function mapFields<Value>(
  table: FieldTable,
  entryOf: (name: string, field: PaymentField) => readonly [string, Value],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(table).map(([name, field]) => entryOf(name, field)));
}

export function listOptionalNames<Fields extends FieldTable>(fields: Fields) {
  return Object.keys(fields).filter((name) => fields[name]?.empty !== undefined) as (keyof Fields & string)[];
}

/** The stored values of absent fields, or the examples of all fields; an example of an amount is no cents. */
export function createFieldDefaults<Fields extends FieldTable>(
  fields: Fields,
  property: 'empty' | 'example',
) {
  return mapFields(fields, (name, field) => [toStoredName(name), field[property]]) as StoredValues<Fields>;
}
