import type { FailureReason } from '../../../contract/failure-reasons.js';
import { FAILURE_REASONS } from '../../../contract/failure-reasons.js';
import type { ChargeStatus } from '../../../contract/transitions.js';
import type { Language } from '../language.js';
import type { Action } from './actions.js';

/** All texts of the pay page, in one language. */
export interface PayTexts {
  readonly site: string;
  readonly banner: { readonly tag: string; readonly text: string };
  readonly statuses: Readonly<Record<ChargeStatus, string>>;
  /** Before the time left. */
  readonly expiresIn: string;
  /** After the time left, for a clock that runs and for one that is frozen. */
  readonly simulated: string;
  readonly frozen: string;
  readonly code: string;
  readonly pix: string;
  readonly copy: string;
  readonly copied: string;
  readonly lost: string;
  readonly elsewhere: { readonly title: string; readonly picture: string };
  readonly panel: {
    readonly tag: string;
    readonly title: string;
    readonly reason: string;
    readonly actions: Readonly<Record<Action, string>>;
  };
  readonly reasons: Readonly<Record<FailureReason, string>>;
  readonly webhook: {
    readonly name: string;
    readonly open: string;
    readonly nobody: string;
    readonly waiting: string;
    readonly attempt: (number: number, most: number) => string;
  };
  readonly problems: {
    readonly refused: string;
    readonly form: string;
    readonly noButtons: string;
  };
  readonly nowhere: { readonly title: string; readonly text: string };
}

const EN: PayTexts = {
  site: 'PIX sandbox',
  banner: { tag: 'TEST ENVIRONMENT', text: 'no real money' },
  statuses: { PENDING: 'Waiting for payment', SETTLED: 'Paid', FAILED: 'Failed', EXPIRED: 'Expired' },
  expiresIn: 'expires in',
  simulated: '(simulated)',
  frozen: '(simulated, the clock is frozen)',
  code: 'Charge',
  pix: 'Copy and paste code',
  copy: 'Copy code',
  copied: 'Copied',
  lost: 'This page has lost the sandbox. Reload it to see what is true now.',
  elsewhere: { title: 'Open this page on a phone', picture: 'Address of this page' },
  panel: {
    tag: 'Only in the sandbox',
    title: 'Decide what happens',
    reason: 'Reason of the failure',
    actions: { pay: 'Pay', fail: 'Fail', expire: 'Expire', late: 'Pay late' },
  },
  reasons: FAILURE_REASONS,
  webhook: {
    name: 'Webhook',
    open: 'see it in the console',
    nobody: 'no endpoint receives it',
    waiting: 'under way',
    attempt: (number, most) => `attempt ${number} of ${most}`,
  },
  problems: {
    refused: 'The sandbox refused this, and nothing changed:',
    form: 'This form does not belong to this page any more. Nothing changed; try again.',
    noButtons: 'Nothing changed: the buttons of this page are off here.',
  },
  nowhere: {
    title: 'There is no charge here',
    text: 'The address leads to no charge. Charges are gone when the sandbox stops or starts over.',
  },
};

const PT: PayTexts = {
  site: 'Sandbox PIX',
  banner: { tag: 'AMBIENTE DE TESTE', text: 'sem dinheiro real' },
  statuses: { PENDING: 'Aguardando pagamento', SETTLED: 'Pago', FAILED: 'Falhou', EXPIRED: 'Expirado' },
  expiresIn: 'expira em',
  simulated: '(simulado)',
  frozen: '(simulado, o relógio está parado)',
  code: 'Cobrança',
  pix: 'Pix copia e cola',
  copy: 'Copiar código',
  copied: 'Copiado',
  lost: 'Esta página perdeu o sandbox. Recarregue para ver como está agora.',
  elsewhere: { title: 'Abra esta página no celular', picture: 'Endereço desta página' },
  panel: {
    tag: 'Só no sandbox',
    title: 'Escolha o que acontece',
    reason: 'Motivo da falha',
    actions: { pay: 'Pagar', fail: 'Falhar', expire: 'Expirar', late: 'Pagar com atraso' },
  },
  reasons: {
    AB03: 'tempo esgotado no SPI',
    AB09: 'erro no participante recebedor',
    AC03: 'agência ou conta não existe',
    AC06: 'conta bloqueada',
    AC07: 'conta encerrada',
    AG03: 'o tipo de conta não aceita esta transação',
    AM02: 'valor acima do limite da conta',
    AM04: 'saldo insuficiente do participante pagador',
    BE01: 'o documento não é do titular da conta',
    BE17: 'QR code rejeitado pelo recebedor',
    DS04: 'ordem rejeitada pelo participante recebedor',
    DUPL: 'pagamento em duplicidade',
    ED05: 'a liquidação falhou',
    FRAD: 'suspeita de fraude',
  },
  webhook: {
    name: 'Webhook',
    open: 'ver no console',
    nobody: 'nenhum endpoint recebe',
    waiting: 'a caminho',
    attempt: (number, most) => `tentativa ${number} de ${most}`,
  },
  problems: {
    refused: 'O sandbox recusou, e nada mudou:',
    form: 'Este formulário não vale mais para esta página. Nada mudou; tente de novo.',
    noButtons: 'Nada mudou: os botões desta página estão desligados aqui.',
  },
  nowhere: {
    title: 'Não há cobrança aqui',
    text: 'O endereço não leva a nenhuma cobrança. As cobranças somem quando o sandbox para ou recomeça.',
  },
};

const TEXTS: Readonly<Record<Language, PayTexts>> = { en: EN, 'pt-BR': PT };

export function payTextsOf(language: Language): PayTexts {
  return TEXTS[language];
}
