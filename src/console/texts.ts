import { RETRY_HOURS, RETRY_SCHEDULES } from '../contract/limits.js';
import type { ReceiverReply } from '../sandbox/test-receiver.js';
import { createTextTable } from '../text/i18n.js';
import { FIELD_TEXTS } from './field-texts.js';
import { SENTENCE_TEXTS } from './sentence-texts.js';

/** Console texts: `English | Portuguese`, or one text for both languages. API values are not translated. */
export const CONSOLE_TEXTS = createTextTable({
  language: 'en | pt-BR',
  title: 'PIX sandbox',
  skip: 'Skip to content | Ir para o conteúdo',
  navigation: 'Sections | Seções',
  sections: {
    live: 'Live | Ao vivo',
    charges: 'Charges | Cobranças',
    withdrawals: 'Withdrawals | Saques',
    ledger: 'Ledger | Extrato',
    endpoints: 'Endpoints',
    faults: 'Faults | Falhas',
    identity: 'Identity | Identidade',
    time: 'Time | Relógio',
    saved: 'Saved states | Estados salvos',
    scenarios: 'Scenarios | Cenários',
    check: 'Check | Verificação',
    setup: 'Setup | Configuração',
  },
  more: 'More | Mais',
  moreFields: 'More fields | Mais campos',
  connected: 'Connected | Conectado',
  disconnected:
    'Lost connection to the sandbox. Reconnecting… | Conexão com o sandbox perdida. Reconectando…',
  notSaved: (failure: string) => [
    `Changes are not saved: ${failure}. Export the state before the sandbox stops.`,
    `As alterações não estão sendo salvas: ${failure}. Exporte o estado antes de parar o sandbox.`,
  ],
  restarted: 'The sandbox was restarted. | O sandbox foi reiniciado.',
  gap: 'Some entries are missing. | Algumas entradas estão faltando.',
  loading: 'Loading… | Carregando…',
  none: 'Nothing here yet. | Nada por aqui ainda.',
  gone: 'No longer exists: the state was restored or reset. | Não existe mais: o estado foi restaurado ou redefinido.',
  any: 'any | qualquer',
  now: 'now | agora',
  add: 'Add | Adicionar',
  open: 'Open | Abrir',
  close: 'Close | Fechar',
  copy: 'Copy | Copiar',
  copied: 'Copied. | Copiado.',
  show: 'Show | Mostrar',
  hide: 'Hide | Ocultar',
  done: (label: string) => [`Done: ${label}.`, `Concluído: ${label}.`],
  sameCommand: 'Equivalent command: | Comando equivalente:',
  notJson: (name: string) => [`${name} is not a JSON object.`, `${name} não é um objeto JSON.`],
  /** Labels of columns, facts and form fields, by API name. */
  ...FIELD_TEXTS,
  onEachLine: 'One per line. | Um por linha.',
  amountNeeded: 'Enter an amount, e.g. 10.00. | Informe um valor, ex.: 10.00.',
  byDefault: 'default | padrão',
  noReason: 'no reason | sem motivo',
  clock: {
    region: 'Clock | Relógio',
    frozen: 'frozen | congelado',
    real: 'real time | tempo real',
    ahead: (span: string) => [`${span} ahead of real time`, `${span} à frente do tempo real`],
    behind: (span: string) => [`${span} behind real time`, `${span} atrás do tempo real`],
    back: 'Reset and return to real time | Redefinir e voltar ao tempo real',
    backHint:
      'Time never goes backward. Reset the sandbox, or restore a state saved earlier. | ' +
      'O tempo nunca volta. Redefina o sandbox ou restaure um estado salvo antes.',
    fast: (rate: number) => [`${rate}× real time`, `${rate}× o tempo real`],
    advancing: 'advancing | avançando',
    next: 'Run next | Executar próximo',
    freeze: 'Freeze | Congelar',
    run: 'Unfreeze | Descongelar',
    speed: 'Speed | Velocidade',
    due: (count: string) => [`${count} scheduled`, `agendados: ${count}`],
    nothingDue: 'nothing scheduled | nada agendado',
    dueTitle: 'Scheduled items | Itens agendados',
    onlyFirst: (count: number) => [`Showing the first ${count}.`, `Mostrando os primeiros ${count}.`],
    nextDue: 'Next | Próximo',
    within: (span: string) => [`in ${span}`, `em ${span}`],
    advance: 'Advance clock | Avançar relógio',
    stop: 'Freeze clock | Congelar relógio',
    setRate: 'Set rate | Definir velocidade',
    jump: 'Advance to here | Avançar até aqui',
  },
  live: {
    filter: 'Filter | Filtro',
    filterHint: 'status:5xx type:pix.* is:failed "text" | status:5xx type:pix.* is:failed "texto"',
    hold: 'Pause | Pausar',
    release: 'Resume | Retomar',
    waiting: (count: number) => [`${count} new`, `${count} novas`],
    collapse: 'Collapse | Recolher',
    expand: 'Expand | Expandir',
    noneMatch: (filter: string) => [
      `No entries match ${filter}.`,
      `Nenhuma entrada corresponde a ${filter}.`,
    ],
    clear: 'Clear filter | Limpar filtro',
    during: (attempts: string) => [`during attempt ${attempts}`, `durante a tentativa ${attempts}`],
    nobody: 'no deliveries | nenhuma entrega',
    retryAll: 'Retry matching failures | Tentar novamente as falhas filtradas',
  },
  sentences: SENTENCE_TEXTS,
  actors: {
    call: 'your application | sua aplicação',
    control: 'command | comando',
    console: 'console',
    scenario: 'scenario | cenário',
    clock: 'clock | relógio',
    listener: 'listener',
    sandbox: 'sandbox',
  },
  detail: {
    region: 'Details | Detalhes',
    views: 'Views | Visualizações',
    request: 'Request | Requisição',
    response: 'Response | Resposta',
    headers: 'Headers | Cabeçalhos',
    noBody: 'No body. | Sem corpo.',
    truncated: (bytes: number) => [
      `Truncated: ${bytes} bytes in total.`,
      `Truncado: ${bytes} bytes no total.`,
    ],
    notStored: 'Content no longer stored. | O conteúdo não está mais armazenado.',
    trace: 'Trace | Rastreamento',
    attempts: 'Attempts | Tentativas',
    due: 'scheduled for | agendado para',
    jump: (attempt: number) => [`Advance to attempt ${attempt}`, `Avançar até a tentativa ${attempt}`],
    retry: 'Retry | Tentar novamente',
    resend: 'Resend | Reenviar',
    toAll: 'all subscribed endpoints | todos os endpoints inscritos',
    replay: 'Send again | Enviar novamente',
    replayNew: 'Send with new code | Enviar com código novo',
    edit: 'Edit and send | Editar e enviar',
    send: 'Send | Enviar',
    compare: 'Compare with | Comparar com',
    differences: (other: string) => [`Differences from ${other}`, `Diferenças em relação a ${other}`],
    same: 'No differences. | Nenhuma diferença.',
    nothing: '(none) | (nenhum)',
    always: (names: string) => [`Always different: ${names}`, `Sempre diferentes: ${names}`],
    during: 'concurrent | em paralelo',
    leftOut: (names: string) => [`Omitted secrets: ${names}.`, `Segredos omitidos: ${names}.`],
    curl: 'Copy as curl | Copiar como curl',
    payload: 'Payload',
    deliveries: 'Deliveries | Entregas',
    notMade: 'cancelled | cancelada',
    dueAt: (when: string) => [`scheduled for ${when}`, `agendada para ${when}`],
    hint: 'Hint | Dica',
    field: 'Field | Campo',
    /** Causes of failed attempts, each with its fix. */
    fixes: {
      timeout:
        'No response within the time limit: respond before you do the work. | ' +
        'Sem resposta dentro do limite: responda antes de fazer o trabalho.',
      connection:
        'The receiver could not be reached: start it, and check the URL. | ' +
        'O receptor não pôde ser alcançado: inicie-o e confira a URL.',
      redirect:
        'Redirects are not followed: use the final URL. | Redirecionamentos não são seguidos: use a URL final.',
      path:
        'The receiver has no such route: check path and method. | ' +
        'O receptor não tem essa rota: confira caminho e método.',
      signature:
        'The receiver refused the message: verify its signature with the raw body. | ' +
        'O receptor recusou a mensagem: verifique a assinatura com o corpo bruto.',
      application:
        'The receiver failed: look for the error in your application log. | ' +
        'O receptor falhou: procure o erro no log da sua aplicação.',
    },
    signedContent: 'Signed content | Conteúdo assinado',
    signedWith: 'signed with | assinado com',
    signed: {
      secret: 'the endpoint’s secret | o segredo do endpoint',
      rotated: 'the endpoint’s new and previous secrets | os segredos novo e anterior do endpoint',
    },
    byFault: (fault: string) => [`fault: ${fault}`, `falha: ${fault}`],
    verified: (isGood: boolean, problem: string | null) => [
      isGood ? 'signature verified' : `invalid signature: ${problem}`,
      isGood ? 'assinatura verificada' : `assinatura inválida: ${problem}`,
    ],
  },
  payments: {
    anyStatus: 'any status | qualquer status',
    search: 'Code or ID | Código ou ID',
    none: {
      charge:
        'No charges yet: create one, or trigger an event. | Nenhuma cobrança: crie uma ou dispare um evento.',
      withdrawal:
        'No withdrawals yet: create one, or trigger an event. | Nenhum saque: crie um ou dispare um evento.',
    },
    noneOf: (status: string) => [
      `No payments with status ${status}.`,
      `Nenhum pagamento com status ${status}.`,
    ],
    pages: 'Pages | Páginas',
    older: 'Older | Mais antigos',
    newer: 'Newer | Mais recentes',
    newest: 'Newest | Início',
    add: {
      charge: 'New charge | Nova cobrança',
      withdrawal: 'New withdrawal | Novo saque',
    },
    send: {
      charge: 'Create charge | Criar cobrança',
      withdrawal: 'Create withdrawal | Criar saque',
    },
    button: (text: string) => text,
    final: 'Final status: no actions available. | Status final: nenhuma ação disponível.',
    net: (net: string) => [`net ${net}`, `líquido ${net}`],
    qr: (code: string) => [`QR code of ${code}`, `QR code de ${code}`],
    copyAndPaste: 'PIX copy and paste | PIX Copia e Cola',
    copyCode: 'Copy PIX code | Copiar código PIX',
    payPage: 'Open payment page | Abrir página de pagamento',
    history: 'History | Histórico',
    historyGone: 'History no longer stored. | O histórico não está mais armazenado.',
    allAccounts: 'all accounts | todas as contas',
    problems: 'The ledger is inconsistent. | O extrato está inconsistente.',
    consistent: 'The ledger is consistent. | O extrato está consistente.',
    unexplained: 'unexplained | sem explicação',
  },
  endpoints: {
    add: 'Add endpoint | Adicionar endpoint',
    all: 'all events | todos os eventos',
    delivered: 'delivered | entregues',
    waiting: 'pending | pendentes',
    failed: 'dead-lettered | em dead letter',
    allEvents: 'default: all | padrão: todos',
    connected: 'listener, connected | listener, conectado',
    away: 'listener, disconnected | listener, desconectado',
    held: (count: string) => [`${count} held`, `${count} retidas`],
    disable: 'Disable | Desativar',
    enable: 'Enable | Ativar',
    rotate: 'Rotate secret | Rotacionar segredo',
    secret: 'secret | segredo',
    secretHint:
      'Save it now; a reload hides it. After a rotation, both secrets sign for 24 hours. | ' +
      'Guarde-o agora; ele some ao recarregar. Após a rotação, os dois segredos assinam por 24 horas.',
    delete: 'Delete | Excluir',
    confirmDelete: (url: string) => [
      `Delete ${url}? Its pending deliveries will fail.`,
      `Excluir ${url}? As entregas pendentes vão falhar.`,
    ],
    pause: 'Pause deliveries | Pausar entregas',
    isPaused:
      'Deliveries are paused: due attempts are held. | Entregas pausadas: as tentativas ficam retidas.',
    resume: 'Resume deliveries | Retomar entregas',
    retryFailed: 'Retry all failed | Tentar novamente todas as que falharam',
    newest: 'Latest deliveries | Entregas mais recentes',
    missing: 'Endpoint not found. | Endpoint não encontrado.',
  },
  faults: {
    add: 'Add fault | Adicionar falha',
    forCall: 'Add fault for this request | Adicionar falha para esta requisição',
    call: 'On requests | Em requisições',
    delivery: 'On deliveries | Em entregas',
    unlimited: 'no limit | sem limite',
    fired: (fired: number, seen: number) => [
      `affected ${fired} of ${seen} matches`,
      `afetou ${fired} de ${seen} ocorrências`,
    ],
    remove: 'Remove | Remover',
    removeAll: 'Remove all | Remover todas',
    incidents: 'Incidents | Incidentes',
    start: 'Start | Iniciar',
    stop: 'Stop | Encerrar',
  },
  identity: {
    create: 'New session | Nova sessão',
    openPage: 'Open page | Abrir página',
    decide: 'Decide | Decidir',
    decision: 'Decision | Decisão',
    anError: 'error without a decision | erro sem decisão',
    document: 'Document (CPF or CNPJ) | Documento (CPF ou CNPJ)',
    delay: 'Result available after | Resultado disponível após',
    error: 'Error code | Código do erro',
    isOver: 'Session already decided. | A sessão já foi decidida.',
  },
  saved: {
    save: 'Save | Salvar',
    confirmSave: (name: string) => [`Replace the saved state ${name}?`, `Substituir o estado salvo ${name}?`],
    restore: 'Restore | Restaurar',
    confirmRestore: (name: string) => [
      `Restore ${name}? All changes since it was saved will be lost.`,
      `Restaurar ${name}? Todas as alterações desde então serão perdidas.`,
    ],
    drop: 'Delete | Excluir',
    confirmDrop: (name: string) => [`Delete the saved state ${name}?`, `Excluir o estado salvo ${name}?`],
    compare: 'Compare | Comparar',
    differences: (count: number) => [`differences: ${count}`, `diferenças: ${count}`],
    first: (count: number) => [`showing the first ${count}`, `mostrando as primeiras ${count}`],
    added: 'added | adicionado',
    removed: 'removed | removido',
    changed: 'changed | alterado',
    reset: 'Reset | Redefinir',
    confirmReset:
      'Reset? All payments, deliveries, faults and sessions are lost, and the clock returns to real time. ' +
      'Saved states remain. | Redefinir? Pagamentos, entregas, falhas e sessões serão perdidos, e o relógio ' +
      'volta ao tempo real. Os estados salvos permanecem.',
    file: 'State file | Arquivo de estado',
    export: 'Export | Exportar',
    exportHint: 'The file contains all tokens and secrets. | O arquivo contém todos os tokens e segredos.',
    import: 'Import | Importar',
    confirmImport: (name: string) => [
      `Replace the current state with ${name}? The current state will be lost.`,
      `Substituir o estado atual por ${name}? O estado atual será perdido.`,
    ],
    importHint:
      'Import a recording of `start --record` with `npx sandbox state import FILE`. | ' +
      'Importe uma gravação de `start --record` com `npx sandbox state import FILE`.',
  },
  scenarios: {
    run: 'Run | Executar',
    fresh: 'Run in a separate sandbox | Executar em um sandbox separado',
    running: 'Running… | Executando…',
    passed: 'passed | passou',
    failed: 'failed | falhou',
    skipped: 'skipped | ignorado',
    result: 'Result | Resultado',
    ended: (name: string, hasPassed: boolean) => [
      `Scenario ${name} ${hasPassed ? 'passed' : 'failed'}.`,
      `Cenário ${name}: ${hasPassed ? 'passou' : 'falhou'}.`,
    ],
    own: 'Run from file | Executar de um arquivo',
    file: 'Scenario file | Arquivo de cenário',
    record: 'Record scenario | Gravar cenário',
    recording: 'Recorded scenario | Cenário gravado',
    download: 'Download | Baixar',
  },
  check: {
    none: 'No report yet. Run: | Ainda não há relatório. Execute:',
    passed: (count: number) => [`passed: ${count}`, `aprovadas: ${count}`],
    known: 'known | conhecido',
  },
  setup: {
    environment: 'Environment | Ambiente',
    environmentHint: 'Environment variables for your application. | Variáveis de ambiente da sua aplicação.',
    copyAll: 'Copy all | Copiar tudo',
    code: 'Code | Código',
    request: 'Signed request | Requisição assinada',
    receiver: 'Webhook receiver | Receptor de webhooks',
    listener: 'Show webhooks in a terminal: | Mostrar webhooks no terminal:',
    forward: 'Forward webhooks | Encaminhar webhooks',
    steps: 'Show first steps | Mostrar primeiros passos',
    assumptions: 'Assumptions | Suposições',
    notObserved:
      'Not compared with the TEST environment yet: npx sandbox parity probe | ' +
      'Ainda não comparadas com o ambiente TEST: npx sandbox parity probe',
    observedCount: (count: number, all: number) => [
      `${count} of ${all} compared with the TEST environment`,
      `${count} de ${all} comparadas com o ambiente TEST`,
    ],
    matches: 'matches | confere',
    differs: 'differs | difere',
    version: 'Version | Versão',
  },
  steps: {
    region: 'First steps | Primeiros passos',
    names: {
      receiver: 'Receive | Receber',
      pay: 'Pay | Pagar',
      deadLetter: 'Dead letter | Dead letter',
      retry: 'Manual retry | Retentativa manual',
    },
    text: {
      receiver:
        'Receives webhooks and verifies their signatures. | Recebe webhooks e verifica as assinaturas.',
      pay: 'Sends a signed pix.settled webhook. | Envia um webhook pix.settled assinado.',
      deadLetter:
        `The next three deliveries receive 500 for all ${RETRY_SCHEDULES.real.length} attempts. | ` +
        `As próximas três entregas recebem 500 nas ${RETRY_SCHEDULES.real.length} tentativas.`,
      retry: 'Makes one more delivery attempt. | Faz mais uma tentativa de entrega.',
    },
    buttons: {
      turnOn: 'Turn on test receiver | Ligar receptor de teste',
      pay: 'Pay a charge | Pagar uma cobrança',
      failThrice: 'Fail three deliveries | Fazer três entregas falharem',
      advance:
        `press +${RETRY_HOURS} h above to run the remaining attempts | ` +
        `clique em +${RETRY_HOURS} h acima para executar as tentativas restantes`,
      retry: 'Retry dead letter | Tentar novamente a dead letter',
    },
    breakOwn:
      'A fault replaces your application’s responses to the next delivery. | ' +
      'Uma falha substitui as respostas da sua aplicação à próxima entrega.',
    next: (button: string) => [`Next: ${button}.`, `Próximo passo: ${button}.`],
    done: 'done | concluído',
    own: 'Next, use your own application: | Agora use a sua aplicação:',
    dismiss: 'Hide steps | Ocultar passos',
  },
  receiver: {
    region: 'Test receiver | Receptor de teste',
    reply: (reply: ReceiverReply | null) => {
      if (reply === 'timeout') return ['never responds', 'nunca responde'];
      if (reply === null || typeof reply === 'number') return [`responds with ${reply}`, `responde ${reply}`];
      return 'fail' in reply
        ? [`fails the next ${reply.fail} attempts (500)`, `falha nas próximas ${reply.fail} tentativas (500)`]
        : [
            `dead-letters the next ${reply.refuse} deliveries (500)`,
            `leva as próximas ${reply.refuse} entregas à dead letter (500)`,
          ];
    },
    received: (count: number) => [`received ${count}, last:`, `recebidos: ${count}, último:`],
    turnOff: 'Turn off | Desligar',
  },
  trigger: {
    title: 'Trigger event | Disparar evento',
    send: 'Trigger | Disparar',
    presets: {
      'pix.settled': 'Charge paid | Cobrança paga',
      'pix.failed': 'Charge failed | Cobrança recusada',
      'pix.expired': 'Charge expired | Cobrança expirada',
      'withdrawal.settled': 'Withdrawal paid out | Saque liquidado',
      'withdrawal.failed': 'Withdrawal failed | Saque recusado',
      late: 'Charge paid late | Cobrança paga com atraso',
    },
  },
  keys: {
    title: 'Keyboard shortcuts | Atalhos de teclado',
    names: {
      down: 'next row | próxima linha',
      up: 'previous row | linha anterior',
      search: 'focus filter | focar no filtro',
      trigger: 'trigger event | disparar evento',
      next: 'run next scheduled item | executar o próximo item agendado',
      freeze: 'freeze or unfreeze clock | congelar ou descongelar o relógio',
      hold: 'pause or resume list | pausar ou retomar a lista',
      retry: 'retry or send again | tentar ou enviar novamente',
      curl: 'copy as curl | copiar como curl',
      help: 'show keyboard shortcuts | mostrar os atalhos de teclado',
      go: (section: string) => [`go to ${section}`, `ir para ${section}`],
      open: 'open row | abrir linha',
      close: 'close details or dialog | fechar detalhes ou diálogo',
    },
    off: 'Turn off single-key shortcuts | Desativar atalhos de uma tecla',
    on: 'Turn on single-key shortcuts | Ativar atalhos de uma tecla',
  },
  token: {
    title: 'Control token required | Token de controle obrigatório',
    text: 'Open the URL printed by `start`, or enter the token. | Abra a URL impressa por `start` ou digite o token.',
    label: 'Control token | Token de controle',
    send: 'Continue | Continuar',
    confirmOther:
      'This link contains another control token. The current token works; an invalid one blocks this tab. | ' +
      'Este link contém outro token de controle. O token atual funciona; um inválido bloqueia esta aba.',
    useOther: 'Use token from link | Usar token do link',
  },
});
