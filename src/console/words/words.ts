import type { ReceiverAnswer } from '../../sandbox/test-receiver.js';
import { PAGES, PAYMENTS } from './pages.js';
import { type InOneLanguage, inLanguage, textTable } from '../../text/i18n.js';
import { instantWith } from './table.js';

/** Every text of the console. Names of things that the service itself names stay as they are. */
const TEXTS = textTable({
  ...PAGES,
  payments: PAYMENTS,
  language: ['en', 'pt-BR'],
  title: 'PIX sandbox',
  skip: ['Skip to the list', 'Ir para a lista'],
  sections: {
    live: ['Live', 'Ao vivo'],
    charges: ['Charges', 'Cobranças'],
    withdrawals: ['Withdrawals', 'Saques'],
    ledger: ['Ledger', 'Extrato'],
    endpoints: 'Endpoints',
    faults: ['Faults', 'Falhas'],
    identity: ['Identity', 'Identidade'],
    time: ['Time', 'Tempo'],
    saved: ['Saved states', 'Estados salvos'],
    scenarios: ['Scenarios', 'Cenários'],
    check: ['Check', 'Verificação'],
    setup: ['Set-up', 'Configuração'],
  },
  navigation: ['Sections', 'Seções'],
  connected: ['Connected', 'Conectado'],
  disconnected: [
    'The sandbox does not answer. It may have been stopped; this page goes on when it is back.',
    'O sandbox não responde. Talvez tenha sido parado; esta página continua quando ele voltar.',
  ],
  notSaved: (failure: string) => [
    `Changes are not saved: ${failure}. They are in memory only and end ` +
      'with the sandbox; export the state to save them.',
    `As alterações não estão sendo salvas: ${failure}. Existem só na memória e ` +
      'acabam com o sandbox; exporte o estado para salvá-las.',
  ],
  restarted: [
    'The sandbox was started again. This page starts afresh.',
    'O sandbox foi iniciado de novo. Esta página recomeça do zero.',
  ],
  gap: [
    'Some entries came and went while this page was not connected.',
    'Algumas entradas vieram e sumiram enquanto esta página não estava conectada.',
  ],
  loading: ['Loading…', 'Carregando…'],
  none: ['Nothing yet.', 'Nada ainda.'],
  gone: [
    'It no longer exists: the state was restored or started over.',
    'Não existe mais: o estado foi restaurado ou recomeçado.',
  ],
  close: ['Close', 'Fechar'],
  copy: ['Copy', 'Copiar'],
  copied: ['Copied.', 'Copiado.'],
  sameCommand: ['The same in a terminal:', 'O mesmo no terminal:'],
  clock: {
    region: ['Clock', 'Relógio'],
    frozen: ['frozen', 'parado'],
    real: ['real time', 'tempo real'],
    fast: (rate: number) => [`${rate} times as fast`, `${rate} vezes mais rápido`],
    advancing: ['moving', 'avançando'],
    next: ['Next', 'Próximo'],
    hour: '+1 h',
    all: '+45 h',
    freeze: ['Freeze', 'Parar'],
    run: ['Run', 'Andar'],
    speed: ['Speed', 'Velocidade'],
    due: (count: string) => [`due ${count}`, `pendentes: ${count}`],
    nothingDue: ['nothing due', 'nada pendente'],
    moved: (by: string) => [`The clock went forward by ${by}.`, `O relógio avançou ${by}.`],
    didNext: ['The clock went to what was due next.', 'O relógio foi para o próximo acontecimento pendente.'],
    isFrozen: ['The clock stands still.', 'O relógio está parado.'],
    runs: ['The clock runs in real time.', 'O relógio anda em tempo real.'],
    runsFast: (rate: number) => [
      `The clock runs ${rate} times as fast as real time.`,
      `O relógio anda ${rate} vezes mais rápido que o tempo real.`,
    ],
  },
  live: {
    list: ['Live', 'Ao vivo'],
    filter: ['Filter', 'Filtro'],
    filterHint: ['status:5xx type:pix.* is:failed "text"', 'status:5xx type:pix.* is:failed "texto"'],
    hold: ['Hold', 'Pausar'],
    release: ['Go on', 'Continuar'],
    waiting: (count: number) => [
      count === 1 ? '1 new story' : `${count} new stories`,
      count === 1 ? '1 nova história' : `${count} novas histórias`,
    ],
    open: ['Open', 'Abrir'],
    closeStory: ['Close the story', 'Fechar a história'],
    openStory: ['Open the story', 'Abrir a história'],
    none: ['Nothing has happened yet.', 'Nada aconteceu ainda.'],
    noneMatch: (filter: string) => [`Nothing matches ${filter}.`, `Nada corresponde a ${filter}.`],
    clear: ['Show everything', 'Mostrar tudo'],
    during: (attempts: string) => [`during attempt ${attempts}`, `durante a tentativa ${attempts}`],
    nobody: ['delivered to nobody', 'sem destinatário'],
    retryAll: ['Retry all failed that match', 'Tentar de novo todas as que falharam e correspondem'],
    retried: ['The failed deliveries are tried again.', 'As entregas que falharam são tentadas de novo.'],
  },
  resources: {
    charge: ['charge', 'cobrança'],
    withdrawal: ['withdrawal', 'saque'],
    session: ['session', 'sessão'],
    endpoint: 'endpoint',
  },
  actors: {
    call: ['your application', 'sua aplicação'],
    control: ['command', 'comando'],
    console: 'console',
    scenario: ['scenario', 'cenário'],
    clock: ['clock', 'relógio'],
    listener: 'listener',
    sandbox: 'sandbox',
  },
  detail: {
    region: ['Detail', 'Detalhe'],
    views: ['Views', 'Visões'],
    request: ['Request', 'Requisição'],
    answer: ['Answer', 'Resposta'],
    headers: ['Headers', 'Cabeçalhos'],
    body: ['Body', 'Corpo'],
    noBody: ['No body.', 'Sem corpo.'],
    truncated: (bytes: number) => [
      `Only the beginning of ${bytes} bytes is kept.`,
      `Só o começo de ${bytes} bytes fica guardado.`,
    ],
    notKept: ['What it looked like is no longer kept.', 'O conteúdo não está mais guardado.'],
    story: ['Story', 'História'],
    attempts: ['Attempts', 'Tentativas'],
    attempt: (number: number) => [`Attempt ${number}`, `Tentativa ${number}`],
    due: ['due', 'pendente:'],
    jump: (attempt: number) => [`Jump to attempt ${attempt}`, `Ir para a tentativa ${attempt}`],
    retry: ['Retry', 'Tentar de novo'],
    retried: ['The delivery is tried again.', 'A entrega é tentada de novo.'],
    resend: ['Resend', 'Reenviar'],
    resent: ['The event is sent again.', 'O evento é enviado de novo.'],
    resendTo: ['to', 'para'],
    toAll: ['all that take it', 'todos que o recebem'],
    replay: ['Send again', 'Enviar de novo'],
    replayNew: ['Send with a new code', 'Enviar com código novo'],
    edit: ['Edit and send', 'Editar e enviar'],
    newCode: ['with a new code', 'com código novo'],
    send: ['Send', 'Enviar'],
    replayed: ['The call was sent again.', 'A chamada foi enviada de novo.'],
    compare: ['Compare with', 'Comparar com'],
    differences: (other: string) => [`What differs from ${other}`, `O que difere de ${other}`],
    same: ['Nothing differs.', 'Nada difere.'],
    nothing: ['(none)', '(nada)'],
    of: {
      request: ['request', 'requisição'],
      answer: ['answer', 'resposta'],
    },
    parts: {
      method: ['method', 'método'],
      path: ['path', 'caminho'],
      query: ['query', 'parâmetro'],
      header: ['header', 'cabeçalho'],
      body: ['body', 'corpo'],
      writing: ['writing', 'escrita'],
      status: 'status',
      error: ['error', 'erro'],
    },
    always: (names: string) => [`As in any two, also: ${names}`, `Como em quaisquer duas, também: ${names}`],
    during: ['meanwhile', 'enquanto isso'],
    leftOut: (names: string) => [
      `Left out, because the log hides their values: ${names}.`,
      `Omitidos, porque o log esconde seus valores: ${names}.`,
    ],
    curl: ['Copy as curl', 'Copiar como curl'],
    payload: 'Payload',
    deliveries: ['Deliveries', 'Entregas'],
    noDeliveries: [
      'No endpoint or listener takes this event.',
      'Nenhum endpoint ou listener recebe este evento.',
    ],
    notMade: ['will not be made', 'não será feita'],
    dueAt: (when: string) => [`due ${when}`, `prevista para ${when}`],
    jumped: (when: string) => [`The clock went to ${when}.`, `O relógio foi para ${when}.`],
    took: (ms: number) => `${ms} ms`,
    hint: ['Hint', 'Dica'],
    signedContent: [
      'Signed content: webhook-id.webhook-timestamp.body',
      'Conteúdo assinado: webhook-id.webhook-timestamp.body',
    ],
    signed: {
      secret: ['signed with the endpoint’s secret', 'assinado com o segredo do endpoint'],
      rotated: [
        'signed with the endpoint’s new secret and its last one',
        'assinado com o segredo novo do endpoint e com o anterior',
      ],
      'wrong-signature': [
        'signed with an unknown secret, by the fault wrong-signature',
        'assinado com um segredo desconhecido, pela falha wrong-signature',
      ],
      'stale-timestamp': [
        'signed with the endpoint’s secret, but ten minutes old, by the fault stale-timestamp',
        'assinado com o segredo do endpoint, mas há dez minutos, pela falha stale-timestamp',
      ],
      'two-signatures': [
        'signed with an unknown secret, then with the endpoint’s, by the fault two-signatures',
        'assinado com um segredo desconhecido e depois com o do endpoint, pela falha two-signatures',
      ],
    },
  },
  facts: {
    id: 'id',
    at: ['at', 'momento'],
    took: ['took', 'duração'],
    error: ['error', 'erro'],
    detail: ['detail', 'detalhe'],
    signature: ['signature', 'assinatura'],
    faults: ['faults', 'falhas'],
    resource: ['resource', 'recurso'],
    to: ['to', 'para'],
    event: ['event', 'evento'],
    held: ['held', 'retida'],
    pix: 'pix',
    withdrawal: ['withdrawal', 'saque'],
    events: ['events', 'eventos'],
    description: ['description', 'descrição'],
    created: ['created', 'criação'],
    retries: ['retries', 'repetições'],
    customer: ['customer', 'cliente'],
    visible: ['visible', 'visível'],
    expires: ['expires', 'expira em'],
    decided: ['decided', 'decidida em'],
    readable: ['readable', 'legível em'],
    name: ['name', 'nome'],
    document: ['document', 'documento'],
    euid: 'euid',
    origin: ['origin', 'origem'],
    fees: ['fees', 'tarifas'],
    fee: ['fee', 'tarifa'],
    payer: ['payer', 'pagador'],
    beneficiary: ['beneficiary', 'beneficiário'],
    reason: ['reason', 'motivo'],
    metadata: ['metadata', 'metadados'],
    account: ['account', 'conta'],
  },
  steps: {
    region: ['First steps', 'Primeiros passos'],
    names: {
      receiver: ['Receive', 'Receber'],
      pay: ['Pay', 'Pagar'],
      deadLetter: ['Dead letter', 'Entrega falhada'],
      retry: ['Retry by hand', 'Repetir à mão'],
    },
    text: {
      receiver: [
        'Webhooks arrive here, without an application, and each signature is verified.',
        'Webhooks chegam aqui, sem aplicação, e cada assinatura é verificada.',
      ],
      pay: ['The webhook pix.settled arrives, signed.', 'O webhook pix.settled chega, assinado.'],
      deadLetter: [
        'The next three deliveries get a 500 at each of their eight attempts, over 45 hours.',
        'As próximas três entregas recebem 500 em cada uma das oito tentativas, em 45 horas.',
      ],
      retry: ['One more attempt, made by hand, arrives.', 'Mais uma tentativa, feita à mão, chega.'],
    },
    buttons: {
      turnOn: ['Turn on test receiver', 'Ligar o receptor de teste'],
      pay: ['Pay a charge', 'Pagar uma cobrança'],
      failThrice: ['Make it fail three times', 'Fazer falhar três vezes'],
      advance: '+45 h',
      retry: ['Retry the dead letter', 'Tentar de novo a entrega falhada'],
    },
    next: {
      turnOn: ['Next: turn on the test receiver.', 'Agora: ligue o receptor de teste.'],
      pay: ['Next: pay a charge.', 'Agora: pague uma cobrança.'],
      failThrice: [
        'Next: make the next three deliveries fail.',
        'Agora: faça as próximas três entregas falharem.',
      ],
      advance: [
        'Next: +45 h above, so that the attempts to come are made now.',
        'Agora: +45 h acima, para que as próximas tentativas sejam feitas já.',
      ],
      retry: ['Next: retry the dead letter.', 'Agora: tente de novo a entrega falhada.'],
    },
    done: ['done', 'feito'],
    own: ['Now with your own application:', 'Agora com a sua aplicação:'],
    dismiss: ['Hide these steps', 'Esconder estes passos'],
  },
  receiver: {
    region: ['Test receiver', 'Receptor de teste'],
    label: ['Answer', 'Resposta'],
    answer: (answer: ReceiverAnswer | null) => {
      if (answer === 'timeout') return ['does not answer', 'não responde'];
      if (answer === null || typeof answer === 'number') return [`answers ${answer}`, `responde ${answer}`];
      return 'fail' in answer
        ? [
            `answers 500 to the next attempts (${answer.fail}), then 200`,
            `responde 500 às próximas tentativas (${answer.fail}), depois 200`,
          ]
        : [
            `answers 500 to the next deliveries (${answer.refuse}) until they are dead letters, then 200`,
            `responde 500 às próximas entregas (${answer.refuse}) até falharem de vez, depois 200`,
          ];
    },
    received: (count: number) => [`${count} received,`, `${count} recebidos,`],
    verdict: (isGood: boolean, problem: string | null) => [
      isGood ? 'signature verified' : `signature wrong: ${problem}`,
      isGood ? 'assinatura verificada' : `assinatura errada: ${problem}`,
    ],
    turnOff: ['Turn off', 'Desligar'],
    isSet: (does: string) => [`The test receiver ${does}.`, `O receptor de teste ${does}.`],
    isOff: ['The test receiver is off.', 'O receptor de teste está desligado.'],
  },
  trigger: {
    button: ['Trigger', 'Disparar'],
    title: ['Trigger an event', 'Disparar um evento'],
    event: ['Event', 'Evento'],
    send: ['Trigger', 'Disparar'],
    done: (event: string) => [`${event} was triggered.`, `${event} foi disparado.`],
  },
  keys: {
    title: ['Keys', 'Teclas'],
    button: ['Keys', 'Teclas'],
    names: {
      down: ['next line', 'próxima linha'],
      up: ['line before', 'linha anterior'],
      search: ['filter', 'filtrar'],
      trigger: ['trigger an event', 'disparar um evento'],
      next: ['go to what is due next', 'ir para o próximo acontecimento pendente'],
      freeze: ['stop the clock, or let it run', 'parar o relógio, ou deixá-lo andar'],
      hold: ['hold the list, and go on', 'pausar a lista, e continuar'],
      retry: ['retry, or send again', 'tentar ou enviar de novo'],
      curl: ['copy as curl', 'copiar como curl'],
      help: ['these keys', 'estas teclas'],
      go: (section: string) => [`go to ${section}`, `ir para ${section}`],
      open: ['open the line', 'abrir a linha'],
      close: ['close what is open', 'fechar o que está aberto'],
    },
    off: ['Turn single-key shortcuts off', 'Desligar atalhos de uma tecla'],
    on: ['Turn single-key shortcuts on', 'Ligar atalhos de uma tecla'],
  },
  token: {
    title: ['This sandbox asks for its control token', 'Este sandbox pede o token de controle'],
    text: [
      'Open the address that `start` printed, or enter the token. It stays in this tab.',
      'Abra o endereço que `start` mostrou, ou digite o token. Ele fica nesta aba.',
    ],
    label: ['Control token', 'Token de controle'],
    send: ['Continue', 'Continuar'],
    otherAsks: [
      'This link brings another control token, but the one in use works. With a wrong token ' +
        'this tab has no access to the sandbox until the right one is entered.',
      'Este link traz outro token de controle, mas o token em uso funciona. Com um token ' +
        'errado, esta aba fica sem acesso ao sandbox até que o certo seja digitado.',
    ],
    useOther: ['Use the link’s token', 'Usar o token do link'],
  },
});

type Instant = ReturnType<typeof instantWith>;

/** What the console says, in one language. */
export type Words = InOneLanguage<typeof TEXTS> & { readonly instant: Instant };

export const EN: Words = {
  ...inLanguage(TEXTS, 0),
  instant: instantWith('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'),
};

export const PT: Words = {
  ...inLanguage(TEXTS, 1),
  instant: instantWith('jan fev mar abr mai jun jul ago set out nov dez'),
};

/** The words for a browser's languages, in their order; English where there are none for any of them. */
export function wordsFor(languages: readonly string[]): Words {
  for (const language of languages) {
    const [name] = language.toLowerCase().split('-');
    if (name === 'pt') return PT;
    if (name === 'en') return EN;
  }
  return EN;
}
