import type { Texts } from './texts.js';

export const TEXTS_PT: Texts = {
  site: 'Verificação de identidade (sandbox)',
  errorPrefix: 'Erro: ',
  banner: {
    tag: 'Sandbox',
    text: 'Nada aqui é real. O que você digita fica no sandbox e só tem a forma conferida.',
  },
  progress: 'Andamento',
  steps: ['Seus dados', 'Consentimento', 'Câmera', 'Decisão'],
  errorSummary: 'Confira o que falta',
  details: {
    title: 'Quem é você?',
    lead: 'Precisamos de duas informações para verificar sua identidade.',
    legend: 'Seus dados',
    name: { individual: 'Nome completo', business: 'Razão social' },
    document: { individual: 'CPF', business: 'CNPJ' },
    documentHint: {
      individual: '11 dígitos, com ou sem pontuação. No sandbox vale qualquer número válido: 123.456.789-09.',
      business:
        '14 caracteres, com ou sem pontuação. No sandbox vale qualquer número válido: 12.ABC.345/01DE-35.',
    },
    next: 'Continuar',
  },
  consent: {
    title: 'Você concorda?',
    lead: 'Consultamos registros públicos e comparamos seu rosto com seu documento.',
    name: 'Nome',
    document: 'Documento',
    legend: 'Consentimento',
    box: 'Concordo com o uso dos meus dados e imagens para verificar minha identidade.',
    next: 'Concordar e continuar',
  },
  camera: {
    title: 'Tire uma foto',
    lead: 'Segure seu documento ao lado do rosto e olhe para a câmera.',
    picture: 'Desenho de um rosto ao lado de um documento, no lugar da imagem da câmera.',
    stand: 'Esta etapa representa a câmera. O sandbox não pede acesso à câmera e não tira foto.',
    next: 'Fingir que tirou a foto',
  },
  decision: {
    title: 'Qual é a resposta?',
    text: 'Agora o serviço decidiria. No sandbox quem decide é você: escolha o resultado no painel.',
  },
  panel: {
    tag: 'Só no sandbox',
    title: 'Escolha o resultado',
    summary: 'Pular etapas: escolher o resultado agora',
    lead: 'Nenhuma página real tem este painel. Ele encerra a verificação do jeito que você disser.',
    legend: 'Resultado',
    outcomes: {
      approved: { label: 'Aprovar', hint: 'Resultado approved, com euid; chama onSuccess.' },
      rejected: { label: 'Rejeitar', hint: 'Resultado rejected; chama onError com REJECTED.' },
      under_review: { label: 'Enviar para análise', hint: 'Resultado under_review; chama onReview.' },
      cancelled: { label: 'Cancelar', hint: 'Resultado cancelled; chama onError com CANCELLED.' },
      expired: { label: 'Deixar expirar', hint: 'Resultado expired; chama onError com EXPIRED.' },
      error: {
        label: 'Falhar com um código de erro',
        hint: 'A página quebra e a sessão fica sem decisão; chama onError com o código abaixo.',
      },
    },
    errorCode: 'Código de erro',
    errorCodeHint: 'Só vale para “Falhar com um código de erro”. Maiúsculas, dígitos e sublinhados.',
    delay: 'Espera até o resultado poder ser lido',
    delayHint:
      'Por exemplo 2s, 5m ou 1h. Até lá o resultado responde 409 NOT_TERMINAL, e o callback chega na hora.',
    submit: 'Decidir',
    noPage:
      'Nenhuma página registrada abriu esta, então nenhuma fica sabendo do resultado. Registre páginas com `npx sandbox start --origin URL`.',
    report: 'O que aconteceu',
    sent: 'Enviado',
    sentTo: 'por postMessage a',
    calls: 'o SDK de lá chama',
    unsent: 'nada: nenhuma janela de uma página registrada abriu ou contém esta',
    status: 'Status',
    readable: 'Resultado legível',
    readableNow: 'agora',
    readableLater: 'após',
  },
  start: {
    title: 'Verifique sua identidade',
    lead: 'Leva dois minutos. Tenha seu documento em mãos.',
    legend: 'Quem será verificado?',
    individual: 'Eu, pessoa física (CPF)',
    business: 'Uma empresa (CNPJ)',
    next: 'Começar',
  },
  results: {
    approved: { title: 'Identidade verificada', text: 'A verificação foi aprovada.' },
    rejected: { title: 'Não foi possível verificar você', text: 'A verificação foi rejeitada.' },
    under_review: {
      title: 'Estamos analisando',
      text: 'A verificação precisa de análise, o que leva um tempo.',
    },
    cancelled: { title: 'Verificação cancelada', text: 'A verificação foi cancelada antes do fim.' },
    expired: { title: 'O tempo acabou', text: 'A verificação expirou antes do fim.' },
    error: { title: 'Algo deu errado', text: 'A página falhou, e nada está decidido ainda.' },
  },
  errorCode: 'Código de erro',
  tryAgain: 'Tentar de novo',
  resultNote: 'Você pode voltar à página de onde veio.',
  close: 'Fechar',
  deadEnds: {
    finished: {
      title: 'Esta verificação terminou',
      text: 'Ela já foi decidida e não pode ser aberta de novo. Uma nova tentativa precisa de uma nova sessão.',
    },
    lapsed: {
      title: 'Esta verificação expirou',
      text: 'Ninguém a concluiu a tempo. Uma nova tentativa precisa de uma nova sessão.',
    },
    unknownSession: {
      title: 'Verificação não encontrada',
      text: 'O endereço não leva a nenhuma sessão. As sessões somem quando o sandbox para ou é reiniciado.',
    },
    unknownPage: { title: 'Página não encontrada', text: 'Não há página neste endereço.' },
    badMethod: { title: 'Não é possível aqui', text: 'Este endereço não aceita esse tipo de requisição.' },
    badForm: {
      title: 'Este formulário não vale mais',
      text: 'Ele não pertence a esta verificação. Abra a verificação de novo na página de onde veio.',
    },
    badMediaType: {
      title: 'Não é um formulário',
      text: 'Este endereço só aceita formulários: application/x-www-form-urlencoded.',
    },
    unavailable: {
      title: 'Indisponível',
      text: 'A verificação de identidade está desligada neste sandbox ou não tem credencial.',
    },
    unknownKey: {
      title: 'Chave pública desconhecida',
      text: 'Nenhuma aplicação tem a chave deste endereço. `npx sandbox env` mostra a certa.',
    },
    unknownOrigin: {
      title: 'Página não registrada',
      text: 'A página que abriu esta não está registrada. Registre a origem dela com `npx sandbox start --origin URL`.',
    },
    missingOrigin: {
      title: 'Aberta de lugar nenhum',
      text: 'Sem sessão, a verificação precisa ser aberta por uma página registrada, por exemplo pelo SDK.',
    },
    failed: { title: 'O sandbox tem um defeito', text: 'A saída dele mostra o que aconteceu.' },
  },
  problems: {
    name: 'Digite um nome.',
    nameLength: 'Digite um nome de até 140 caracteres.',
    document: {
      individual: 'Digite um CPF válido: 11 dígitos, com os dois últimos conferindo.',
      business: 'Digite um CNPJ válido: 14 caracteres, com os dois últimos conferindo.',
    },
    consent: 'Marque a caixa para concordar; sem consentimento a verificação não continua.',
    outcome: 'Escolha um resultado.',
    errorCode: 'Digite um código de maiúsculas, dígitos e sublinhados, como PROVIDER_ERROR.',
    delay: 'Digite uma espera como 0s, 2s, 5m ou 1h.',
    customerType: 'Escolha quem será verificado.',
  },
};
