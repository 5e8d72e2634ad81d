import { textTable } from '../../text/i18n.js';

/** Texts of payments, the ledger and time. */
export const PAYMENTS = textTable({
  fields: {
    type: {
      label: ['Event', 'Evento'],
      help: ['What the service announces.', 'O que o serviço anuncia.'],
    },
    charge: {
      label: ['Existing charge', 'Cobrança existente'],
      help: [
        'Its code or id. Leave it empty to make a new charge, with the fields below.',
        'O código ou o id. Vazio: uma cobrança nova é criada com os campos abaixo.',
      ],
    },
    withdrawal: {
      label: ['Existing withdrawal', 'Saque existente'],
      help: [
        'Its code or id. Leave it empty to make a new withdrawal, with the fields below.',
        'O código ou o id. Vazio: um saque novo é criado com os campos abaixo.',
      ],
    },
    amount: {
      label: ['Amount', 'Valor'],
      help: [
        'Such as 10.00. Empty: an amount of the sandbox.',
        'Por exemplo 10.00. Vazio: um valor do sandbox.',
      ],
    },
    code: {
      label: ['Code', 'Código'],
      help: [
        'Your own identifier. Empty: the sandbox chooses one.',
        'Seu próprio identificador. Vazio: o sandbox escolhe um.',
      ],
    },
    payer_name: {
      label: ['Payer', 'Pagador'],
      help: ['The name of who pays.', 'O nome de quem paga.'],
    },
    payer_document: {
      label: ['Payer’s document', 'Documento do pagador'],
      help: ['CPF or CNPJ of who pays.', 'CPF ou CNPJ de quem paga.'],
    },
    pix_key: {
      label: ['PIX key', 'Chave PIX'],
      help: [
        'CPF, CNPJ, e-mail, +55 phone or random key of who receives.',
        'CPF, CNPJ, e-mail, telefone +55 ou chave aleatória de quem recebe.',
      ],
    },
    app: {
      label: ['Application', 'Aplicação'],
      help: ['Whose charge or withdrawal it is.', 'De quem é a cobrança ou o saque.'],
    },
    metadata: {
      label: ['Metadata', 'Metadados'],
      help: ['One key=value on each line.', 'Um chave=valor por linha.'],
    },
    reason: {
      label: ['Reason', 'Motivo'],
      help: ['The SPI code of the failure.', 'O código SPI da falha.'],
    },
    late: {
      label: ['Late', 'Com atraso'],
      help: ['The charge expires first.', 'A cobrança expira antes.'],
    },
    override: {
      label: ['Overrides', 'Substituições'],
      help: [
        'One path=value on each line changes the payload alone, as ' +
          'data.object.amount=1.00 does; path:=json changes its type, too.',
        'Um caminho=valor por linha muda só o corpo do evento, como ' +
          'data.object.amount=1.00; caminho:=json muda também o tipo.',
      ],
    },
    count: {
      label: ['Count', 'Quantidade'],
      help: ['How many times. Empty: once.', 'Quantas vezes. Vazio: uma.'],
    },
    by: {
      label: ['Go forward by', 'Avançar'],
      help: [
        'A duration such as 90s, 45h or 1d12h. All that falls due on the way is done.',
        'Uma duração como 90s, 45h ou 1d12h. Tudo o que vence no caminho é feito.',
      ],
    },
    at: {
      label: ['Freeze at', 'Parar em'],
      help: [
        'A later instant such as 2030-01-01T00:00:00Z; the clock goes there first. Empty: now.',
        'Um instante futuro como 2030-01-01T00:00:00Z; o relógio vai até lá antes. Vazio: agora.',
      ],
    },
    rate: {
      label: ['Rate', 'Ritmo'],
      help: [
        'Sandbox seconds for each real second, such as 60; 1 is real time.',
        'Segundos do sandbox por segundo real, como 60; 1 é o tempo real.',
      ],
    },
  },
  amountNeeded: ['Give an amount such as 10.00.', 'Informe um valor como 10.00.'],
  byDefault: ['the sandbox’s choice', 'à escolha do sandbox'],
  noReason: ['no reason', 'sem motivo'],
  list: {
    status: 'Status',
    anyStatus: ['any status', 'qualquer status'],
    search: ['Code or id', 'Código ou id'],
    open: ['Open', 'Abrir'],
    code: ['Code', 'Código'],
    amount: ['Amount', 'Valor'],
    created: ['Created', 'Criação'],
    noneOf: (status: string) => [`None is ${status}.`, `Nada está em ${status}.`],
    pages: ['Pages', 'Páginas'],
    older: ['Older', 'Mais antigos'],
    newer: ['Newer', 'Mais novos'],
    newest: ['Newest', 'Os mais novos'],
  },
  charge: {
    add: ['New charge', 'Nova cobrança'],
    send: ['Create charge', 'Criar cobrança'],
    created: ['The charge was created.', 'A cobrança foi criada.'],
    qr: (code: string) => [`QR code of ${code}`, `QR code de ${code}`],
    copyAndPaste: ['PIX copy and paste', 'PIX copia e cola'],
    copyCode: ['Copy PIX code', 'Copiar código PIX'],
    payPage: ['Open the pay page', 'Abrir a página de pagamento'],
    moves: {
      pay: {
        button: ['Pay', 'Pagar'],
        done: ['The charge was paid.', 'A cobrança foi paga.'],
      },
      fail: {
        button: ['Fail', 'Falhar'],
        done: ['The payment failed.', 'O pagamento falhou.'],
      },
      expire: {
        button: ['Expire', 'Expirar'],
        done: ['The charge expired.', 'A cobrança expirou.'],
      },
      payLate: {
        button: ['Pay late', 'Pagar com atraso'],
        done: ['The charge was paid after it had expired.', 'A cobrança foi paga depois de expirar.'],
      },
    },
  },
  withdrawal: {
    add: ['New withdrawal', 'Novo saque'],
    send: ['Create withdrawal', 'Criar saque'],
    created: ['The withdrawal was created.', 'O saque foi criado.'],
    moves: {
      process: {
        button: ['Process', 'Processar'],
        done: ['The bank took the withdrawal up.', 'O banco começou a processar o saque.'],
      },
      settle: {
        button: ['Settle', 'Liquidar'],
        done: ['The withdrawal was settled.', 'O saque foi liquidado.'],
      },
      fail: {
        button: ['Fail', 'Falhar'],
        done: ['The withdrawal failed.', 'O saque falhou.'],
      },
      return: {
        button: ['Return', 'Devolver'],
        done: ['The withdrawal came back.', 'O saque foi devolvido.'],
      },
    },
  },
  final: ['Nothing can happen to it any more.', 'Nada mais pode acontecer.'],
  history: {
    title: ['What happened to it', 'O que aconteceu'],
    gone: ['What happened to it is no longer kept.', 'O que aconteceu não está mais guardado.'],
    nobody: ['delivered to nobody', 'não foi entregue a ninguém'],
  },
  net: (net: string) => [`net ${net}`, `líquido ${net}`],
  ledger: {
    account: ['Account', 'Conta'],
    allAccounts: ['all accounts', 'todas as contas'],
    balance: (balance: string) => [`balance ${balance}`, `saldo ${balance}`],
    problems: (count: number) => [
      count === 1 ? 'The ledger is not sound: 1 problem.' : `The ledger is not sound: ${count} problems.`,
      count === 1 ? 'O extrato não confere: 1 problema.' : `O extrato não confere: ${count} problemas.`,
    ],
    sound: ['The ledger is sound.', 'O extrato confere.'],
    time: ['Time', 'Hora'],
    what: ['What', 'O quê'],
    running: ['Balance', 'Saldo'],
    unexplained: ['unexplained', 'sem explicação'],
  },
  time: {
    due: ['What falls due', 'O que vence'],
    nothing: ['Nothing falls due.', 'Nada vence.'],
    onlyFirst: (count: number) => [`These are the first ${count}.`, `Estes são os primeiros ${count}.`],
    within: (span: string) => [`in ${span}`, `em ${span}`],
    now: ['now', 'agora'],
    jump: ['Jump here', 'Ir até aqui'],
    jumpTo: (title: string) => [`Jump here: ${title}`, `Ir até aqui: ${title}`],
    advance: ['Advance', 'Avançar o relógio'],
    freeze: ['Stop the clock', 'Parar o relógio'],
    frozenAt: (when: string) => [`The clock stands still at ${when}.`, `O relógio está parado em ${when}.`],
    setRate: ['Set rate', 'Definir ritmo'],
  },
});

/** Texts of the other pages: endpoints, faults, identity, saved states, scenarios, check and set-up. */
export const PAGES = textTable({
  confirm: {
    all: ['everything', 'tudo'],
  },
  files: {
    notJson: (name: string) => [`${name} holds no JSON object.`, `${name} não contém um objeto JSON.`],
  },
  secret: {
    show: ['Show', 'Mostrar'],
    hide: ['Hide', 'Ocultar'],
    showNamed: (name: string) => [`Show ${name}`, `Mostrar ${name}`],
    hideNamed: (name: string) => [`Hide ${name}`, `Ocultar ${name}`],
  },
  endpoints: {
    add: ['Add an endpoint', 'Adicionar um endpoint'],
    url: 'URL',
    events: ['Events', 'Eventos'],
    allEvents: ['all events', 'todos os eventos'],
    description: ['Description', 'Descrição'],
    create: ['Add', 'Adicionar'],
    created: (url: string) => [`${url} was added.`, `${url} foi adicionado.`],
    listener: 'listener',
    connected: ['connected', 'conectado'],
    away: ['away', 'ausente'],
    heldCount: (count: string) => [`${count} held`, `${count} retidas`],
    disable: ['Disable', 'Desativar'],
    disabled: [
      'Nothing is delivered to it any more; its pending deliveries failed.',
      'Nada mais é entregue a ele; as entregas pendentes falharam.',
    ],
    enable: ['Enable', 'Ativar'],
    enabled: ['Events are delivered to it again.', 'Os eventos voltam a ser entregues a ele.'],
    rotate: ['Rotate secret', 'Trocar o segredo'],
    rotated: [
      'It has a new secret. Both secrets sign for 24 hours.',
      'Ele tem um novo segredo. Os dois segredos assinam por 24 horas.',
    ],
    secret: ['secret', 'o segredo'],
    secretHint: [
      'Keep it now: after this page is reloaded, it is not shown again.',
      'Guarde-o agora: depois de recarregar esta página, ele não é mostrado de novo.',
    ],
    delete: ['Delete', 'Excluir'],
    deleteAsks: (url: string) => [
      `Delete ${url}? Its pending deliveries fail.`,
      `Excluir ${url}? As entregas pendentes falham.`,
    ],
    deleted: ['The endpoint is deleted.', 'O endpoint foi excluído.'],
    pause: ['Pause deliveries', 'Pausar as entregas'],
    paused: [
      'Attempts that fall due are held until deliveries are resumed.',
      'As tentativas que vencem ficam retidas até que as entregas sejam retomadas.',
    ],
    isPaused: [
      'Deliveries are paused: what falls due is held.',
      'As entregas estão pausadas: o que vence fica retido.',
    ],
    resume: ['Resume deliveries', 'Retomar as entregas'],
    resumed: ['The held deliveries go on.', 'As entregas retidas continuam.'],
    retryFailed: ['Retry all failed', 'Repetir todas as que falharam'],
    retried: [
      'Each failed delivery to this endpoint gets one more attempt.',
      'Cada entrega que falhou para este endpoint recebe mais uma tentativa.',
    ],
    newest: ['Newest deliveries', 'Entregas mais recentes'],
    attempts: (count: number) => [
      count === 1 ? '1 attempt' : `${count} attempts`,
      count === 1 ? '1 tentativa' : `${count} tentativas`,
    ],
    missing: ['There is no such endpoint, or no longer.', 'Este endpoint não existe, ou não existe mais.'],
    none: [
      'No endpoint and no listener takes events yet.',
      'Nenhum endpoint ou listener recebe eventos ainda.',
    ],
  },
  faults: {
    add: ['Add a fault', 'Adicionar uma falha'],
    forCall: ['Add a fault for this call', 'Adicionar uma falha para esta chamada'],
    action: ['Fault', 'Falha'],
    calls: ['On calls', 'Em chamadas'],
    deliveries: ['On deliveries', 'Em entregas'],
    any: ['any', 'qualquer'],
    door: ['Door', 'Porta'],
    method: ['Method', 'Método'],
    path: ['Path', 'Caminho'],
    event: ['Event', 'Evento'],
    endpoint: 'Endpoint',
    attempt: ['Attempt', 'Tentativa'],
    status: 'Status',
    delay: ['Delay', 'Atraso'],
    copies: ['Extra copies', 'Cópias extras'],
    parallel: ['All copies at once', 'Todas as cópias ao mesmo tempo'],
    when: ['When', 'Quando'],
    code: ['Code', 'Código'],
    resource: [
      'Which charge, withdrawal or session, in order of creation',
      'Qual cobrança, saque ou sessão, por ordem de criação',
    ],
    nth: ['Only the nth that matches', 'Só na enésima vez que coincidir'],
    count: ['How many times at most', 'Quantas vezes no máximo'],
    unlimited: ['no limit', 'sem limite'],
    probability: ['Probability', 'Probabilidade'],
    create: ['Add', 'Adicionar'],
    created: (action: string) => [`The fault ${action} was added.`, `A falha ${action} foi adicionada.`],
    fired: (fired: number, seen: number) => [`fired ${fired} of ${seen}`, `disparou ${fired} de ${seen}`],
    remove: ['Remove', 'Remover'],
    removeNamed: (action: string) => [`Remove ${action}`, `Remover ${action}`],
    removed: ['The fault is removed.', 'A falha foi removida.'],
    removeAll: ['Remove all', 'Remover todas'],
    removedAll: ['All faults are removed.', 'Todas as falhas foram removidas.'],
    none: [
      'No faults: every call and every attempt goes as it should.',
      'Nenhuma falha: cada chamada e cada tentativa corre como deve.',
    ],
  },
  identity: {
    create: ['New session', 'Nova sessão'],
    type: ['Customer', 'Cliente'],
    created: ['A session was created.', 'Uma sessão foi criada.'],
    session: ['Session', 'Sessão'],
    openPage: ['Open the page', 'Abrir a página'],
    openPageOf: (id: string) => [`Open the page of ${id}`, `Abrir a página de ${id}`],
    decide: ['Decide', 'Decidir'],
    decision: ['Decision', 'Decisão'],
    anError: ['an error, without a decision', 'um erro, sem decisão'],
    document: ['Document (CPF or CNPJ)', 'Documento (CPF ou CNPJ)'],
    delay: ['Readable after', 'Legível após'],
    error: ['Error code', 'Código do erro'],
    decided: (status: string) => [`The session is decided: ${status}.`, `A sessão foi decidida: ${status}.`],
    reported: (error: string) => [
      `The page reports the error ${error}.`,
      `A página informa o erro ${error}.`,
    ],
    isOver: [
      'This session is decided, and takes no further decision.',
      'Esta sessão está decidida e não aceita outra decisão.',
    ],
    none: ['No sessions yet.', 'Nenhuma sessão ainda.'],
  },
  saved: {
    name: ['Name', 'Nome'],
    nameHint: [
      'Up to 64 letters without accents, digits, hyphens, underscores or points; no spaces.',
      'Até 64 letras sem acentos, dígitos, hífens, sublinhados ou pontos; sem espaços.',
    ],
    save: ['Save', 'Salvar'],
    saved: (name: string) => [`The state was saved as ${name}.`, `O estado foi salvo como ${name}.`],
    saveAsks: (name: string) => [
      `Replace what was saved as ${name}?`,
      `Substituir o que foi salvo como ${name}?`,
    ],
    restore: ['Restore', 'Restaurar'],
    restoreAsks: (name: string) => [
      `Go back to ${name}? What happened since it was saved is lost.`,
      `Voltar a ${name}? O que aconteceu desde então se perde.`,
    ],
    restored: (name: string) => [
      `Everything is as it was when ${name} was saved.`,
      `Tudo está como quando ${name} foi salvo.`,
    ],
    drop: ['Drop', 'Descartar'],
    dropAsks: (name: string) => [`Forget ${name}?`, `Esquecer ${name}?`],
    dropped: (name: string) => [`${name} is forgotten.`, `${name} foi esquecido.`],
    of: (what: string, name: string) => `${what} ${name}`,
    holds: (charges: number, withdrawals: number, deliveries: number, sessions: number) => [
      `charges ${charges}, withdrawals ${withdrawals}, deliveries ${deliveries}, sessions ${sessions}`,
      `cobranças ${charges}, saques ${withdrawals}, entregas ${deliveries}, sessões ${sessions}`,
    ],
    none: ['Nothing is saved yet.', 'Nada salvo ainda.'],
    compare: ['Compare', 'Comparar'],
    compared: (from: string, to: string) => [
      `${from} was compared with ${to}.`,
      `${from} foi comparado com ${to}.`,
    ],
    from: ['From', 'De'],
    to: ['To', 'Para'],
    now: ['now', 'agora'],
    differences: (count: number, shown: number) => [
      count === 0
        ? 'Nothing differs.'
        : `${count === 1 ? '1 difference' : `${count} differences`}${shown < count ? `; the first ${shown}:` : ':'}`,
      count === 0
        ? 'Nada difere.'
        : `${count === 1 ? '1 diferença' : `${count} diferenças`}${shown < count ? `; as primeiras ${shown}:` : ':'}`,
    ],
    added: ['added', 'adicionado'],
    removed: ['removed', 'removido'],
    changed: ['changed', 'alterado'],
    reset: ['Start over', 'Recomeçar'],
    resetAsks: [
      'Start over? What happened so far is lost.',
      'Recomeçar? O que aconteceu até agora se perde.',
    ],
    didReset: ['The sandbox started over.', 'O sandbox recomeçou.'],
    file: ['State as a file', 'Estado como arquivo'],
    export: ['Export', 'Exportar'],
    exportHint: [
      'The file holds the whole sandbox, with its tokens and secrets.',
      'O arquivo contém o sandbox inteiro, com tokens e segredos.',
    ],
    exported: (name: string) => [`${name} was written.`, `${name} foi gravado.`],
    import: ['Import', 'Importar'],
    importAsks: (name: string) => [
      `Go on with ${name}? The present state is lost.`,
      `Continuar com ${name}? O estado atual se perde.`,
    ],
    importHint: [
      'A recording of `start --record` goes on with `npx sandbox state import FILE`.',
      'Uma gravação de `start --record` continua com `npx sandbox state import FILE`.',
    ],
    imported: (name: string) => [`The sandbox goes on with ${name}.`, `O sandbox continua com ${name}.`],
  },
  scenarios: {
    run: ['Run', 'Executar'],
    runNamed: (name: string) => [`Run ${name}`, `Executar ${name}`],
    fresh: [
      'in a sandbox of its own, which leaves this one alone',
      'em um sandbox próprio, que não toca neste',
    ],
    ran: (name: string) => [`${name} ran.`, `${name} foi executado.`],
    running: ['Running…', 'Executando…'],
    passed: ['passed', 'passou'],
    failed: ['failed', 'falhou'],
    skipped: ['skipped', 'pulado'],
    result: ['Result', 'Resultado'],
    own: ['Run a file', 'Executar um arquivo'],
    file: ['Scenario file', 'Arquivo de cenário'],
    record: ['Record what happened', 'Gravar o que aconteceu'],
    name: ['Name', 'Nome'],
    recorded: ['What happened is a scenario now.', 'O que aconteceu agora é um cenário.'],
    recording: ['Recorded scenario', 'Cenário gravado'],
    download: ['Download', 'Baixar'],
  },
  check: {
    none: [
      'No report yet. This command checks your webhook receiver:',
      'Ainda não há relatório. Este comando verifica o seu receptor de webhooks:',
    ],
    others: (count: number) => [
      count === 1 ? '1 other check' : `${count} other checks`,
      count === 1 ? '1 outra verificação' : `${count} outras verificações`,
    ],
    known: ['known', 'conhecida'],
    sent: ['sent', 'enviado'],
    got: ['came back', 'resposta'],
    expected: ['expected', 'esperado'],
    likely: ['likely', 'provável'],
    fix: ['fix', 'correção'],
    written: ['written in', 'onde está escrito'],
    again: ['send it again', 'enviar de novo'],
    copyAgain: (id: string) => [`Copy the command for ${id}`, `Copiar o comando de ${id}`],
  },
  setup: {
    environment: ['Environment', 'Ambiente'],
    environmentHint: [
      'What your application needs to find this sandbox.',
      'O que a sua aplicação precisa para encontrar este sandbox.',
    ],
    copyAll: ['Copy all', 'Copiar tudo'],
    code: ['Code', 'Código'],
    language: ['Language', 'Linguagem'],
    request: ['A signed request', 'Uma requisição assinada'],
    receiver: ['A webhook receiver', 'Um receptor de webhooks'],
    listener: [
      'curl receives nothing; this shows webhooks in a terminal:',
      'O curl não recebe nada; isto mostra os webhooks em um terminal:',
    ],
    forward: ['Webhooks to your application', 'Webhooks para a sua aplicação'],
    forwardHint: [
      'Start the sandbox with your application’s address:',
      'Inicie o sandbox com o endereço da sua aplicação:',
    ],
    keys: ['Keys', 'Teclas'],
    steps: ['Show the first steps again', 'Mostrar os primeiros passos de novo'],
    version: ['Version', 'Versão'],
  },
});
