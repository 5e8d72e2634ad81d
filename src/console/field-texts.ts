import { mapFields, PAYMENT_FIELDS } from '../contract/fields.js';
import { mapTriggerOptions } from '../contract/trigger-options.js';
import { formatSentences, createTextTable } from '../text/i18n.js';

/** Returns the labels or help texts of the payment fields. Missing texts are empty strings. */
function fieldTexts(property: 'label' | 'help') {
  return mapFields(PAYMENT_FIELDS.all, (name, field) => [name, field[property] ?? '']) as Readonly<
    Record<keyof typeof PAYMENT_FIELDS.all, string>
  >;
}

/** Labels and help texts of columns, facts and form fields: `English | Portuguese`. */
export const FIELD_TEXTS = createTextTable({
  names: {
    ...fieldTexts('label'),
    actions: 'Actions | Ações',
    again: 'Run again | Executar novamente',
    app: 'Application | Aplicação',
    assumed: 'Assumed | Suposto',
    at: 'Time | Data e hora',
    attempt: 'Attempt | Tentativa',
    balance: 'Balance | Saldo',
    blocked_by: 'Blocked by | Bloqueada por',
    body: 'Body | Corpo',
    by: 'Advance by | Avançar em',
    charges: 'Charges | Cobranças',
    deliveries: 'Deliveries | Entregas',
    sessions: 'Sessions | Sessões',
    withdrawals: 'Withdrawals | Saques',
    copies: 'Extra copies | Cópias extras',
    created_at: 'Created | Criação',
    customer_type: 'Customer type | Tipo de cliente',
    decided_at: 'Decided | Decidida em',
    delay: 'Delay | Atraso',
    description: 'Description | Descrição',
    detail: 'Detail | Detalhe',
    document: 'Document | Documento',
    api: 'API',
    embed_origin: 'Origin | Origem',
    endpoint: 'Endpoint',
    error: 'Error | Erro',
    euid: 'EUID',
    event: 'Event | Evento',
    events: 'Events | Eventos',
    expected: 'Expected | Esperado',
    expires_at: 'Expires | Expira em',
    fault: 'Fault | Falha',
    faults: 'Faults | Falhas',
    fee: 'Fee | Tarifa',
    fees: 'Fees | Tarifas',
    fired: 'Fired | Disparos',
    fix: 'Fix | Correção',
    freeze_at: 'Freeze at | Congelar em',
    from: 'From | De',
    got: 'Received | Recebido',
    header: 'Header | Cabeçalho',
    id: 'ID',
    language: 'Language | Linguagem',
    likely: 'Likely cause | Causa provável',
    link: 'Documentation | Documentação',
    matches: 'Matches | Corresponde a',
    method: 'Method | Método',
    name: 'Name | Nome',
    new_code: 'Use a new code | Usar um código novo',
    nth: 'Only the nth match | Só a enésima ocorrência',
    observed: 'Observed | Observado',
    parallel: 'Send copies concurrently | Enviar cópias em paralelo',
    path: 'Path | Caminho',
    pix: 'Charge | Cobrança',
    probability: 'Probability | Probabilidade',
    query: 'Query parameter | Parâmetro de query',
    rate: 'Rate | Velocidade',
    real_at: 'Real time | Tempo real',
    readable_at: 'Result available | Resultado disponível em',
    resource: 'Nth charge, withdrawal or session | Enésima cobrança, saque ou sessão',
    resource_id: 'Resource | Recurso',
    retries: 'Retries | Retentativas',
    sent: 'Sent | Enviado',
    session: 'Session | Sessão',
    signature: 'Signature | Assinatura',
    status: 'Status',
    to: 'To | Para',
    took: 'Duration | Duração',
    type: 'Event type | Tipo de evento',
    url: 'URL',
    visible_status: 'Visible status | Status visível',
    what: 'Description | Descrição',
    when: 'When | Quando',
    writing: 'formatting | formatação',
    ...mapTriggerOptions(({ label }) => label),
  },
  /** Help texts of form fields, by API name. */
  helps: {
    ...fieldTexts('help'),
    by: 'For example 90s, 45h or 1d12h. | Por exemplo, 90s, 45h ou 1d12h.',
    freeze_at:
      'For example 2030-01-01T00:00:00Z. Default: now. | Por exemplo, 2030-01-01T00:00:00Z. Padrão: agora.',
    rate: 'Sandbox seconds per real second, e.g. 60. | Segundos do sandbox por segundo real, ex.: 60.',
    name:
      'Unaccented letters, digits, hyphens, underscores and dots. | ' +
      'Letras sem acento, dígitos, hifens, sublinhados e pontos.',
    ...mapTriggerOptions(({ description }) => formatSentences(description)),
  },
});
