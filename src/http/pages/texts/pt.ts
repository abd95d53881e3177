import type { Texts } from './texts.ts';

/** Texts of the pages in Portuguese. */
export const PT: Texts = {
  'site.development': 'desenvolvimento',
  'site.runBy': 'Serviço de início de sessão de {operator}',
  'site.policy': 'Política de privacidade',
  'site.terms': 'Termos de uso',

  'signin.title': 'Entrar em {client}',
  'signin.returnsTo': 'Depois, você voltará para {host}.',
  'signin.staging': 'testes',
  'signin.task': 'Mostre que você é uma pessoa',
  'signin.walletNeeded':
    'Você precisa de {wallet}, um aplicativo que prova que você é uma pessoa sem revelar quem você é.',
  'signin.anyWalletNeeded':
    'Você precisa de um aplicativo de carteira que prove que você é uma pessoa sem revelar quem você é.',
  'signin.getWallet': 'Obter {wallet}',
  'signin.getAnyWallet': 'Obter uma carteira',
  'signin.openWallet': 'Abrir a carteira',
  'signin.scan':
    'Escaneie este código com a sua carteira. Se ela estiver neste dispositivo, abra-a logo abaixo.',
  'signin.scanElsewhere': 'Escanear com outro dispositivo',
  'signin.qrLabel': 'Código QR que abre este início de sessão em uma carteira',
  'signin.timeLeft': 'Tempo restante: {time}',
  'signin.retry': 'Tentar de novo',
  'signin.newCode': 'Mostrar um novo código',
  'signin.cancel': 'Cancelar',
  'signin.continue': 'Continuar',
  'signin.back': 'Voltar para {client}',
  'signin.opensApp':
    'Seu navegador pode perguntar se pode abrir o aplicativo. Esta página continua aberta: se o aplicativo não aparecer, use o botão de novo.',
  'signin.lastAttempt': 'Essa foi a última tentativa. Você pode recomeçar a partir do aplicativo.',
  'signin.step': 'Passo {step} de {steps}',
  'signin.stepSession':
    'Permita que este serviço o reconheça quando voltar. Segue-se uma segunda confirmação.',
  'signin.stepPair': 'Quase pronto: prove agora que é uma só pessoa. Isto termina o início de sessão.',
  'signin.known': 'Este navegador já esteve aqui: mostre na sua carteira que é você.',
  'signin.link4': 'Identidade confirmada. Mostre agora o seu World ID 4.0, que é adicionado a esta conta.',
  'signin.link3': 'Identidade confirmada. Mostre agora o seu World ID 3.0, que é adicionado a esta conta.',
  'signin.linkSkip': 'Continuar sem ele',
  'signin.wayOther': 'Outra pessoa ou outro World ID',
  'signin.way3': 'A minha carteira só tem World ID 3.0',
  'signin.way4': 'A minha carteira tem World ID 4.0',
  'signin.knownByPasskey': 'A sua chave de acesso é conhecida aqui: mostre na sua carteira que é você.',
  'signin.forgetBrowser': 'Esquecer neste navegador quem esteve aqui',
  'signin.forgetBrowserNote':
    'A marca deste aplicativo é apagada deste navegador. A sua carteira pode recusar por até um ano provar o mesmo de novo: guarde outro navegador ou uma chave de acesso que encontre você.',

  'choices.stay': 'Continuar conectado a {client} neste navegador',
  'choices.stayNote':
    'Por {time}; depois é preciso provar de novo. Não marque em um aparelho que outras pessoas usam.',
  'choices.undo': 'Não continuar conectado',
  'choices.offline': 'Permitir que {client} continue conectado quando você não estiver',
  'choices.offlineNote': 'Por até {time}: o aplicativo pode renovar seu acesso sem perguntar de novo.',
  'choices.offlineUndo': 'Não permitir que o aplicativo continue conectado',
  'choices.known': 'Mostrar como {client} me reconhece antes de voltar',
  'choices.knownNote': 'Ali você pode salvar uma chave de acesso e apagar o que está guardado.',
  'choices.knownUndo': 'Voltar logo',
  'choices.link': 'Adicionar o meu World ID da outra versão',
  'choices.linkNote':
    'A partir daí, ambos são a mesma conta em {client}. Nada mostra que os dois são seus: quem adiciona o World ID de outra pessoa deixa-a entrar.',
  'choices.linkUndo': 'Não adicionar outro World ID',
  'choices.failed': 'Não foi possível salvar sua escolha. Tente novamente.',

  'shared.title': 'O que {client} recebe',
  'shared.identifier': 'Um identificador só para este aplicativo',
  'shared.identifierNote': 'Outros aplicativos recebem outros, de modo que ninguém pode relacioná-los.',
  'shared.level': 'Como foi feita a sua verificação',
  'shared.levelNote': 'Em um Orb ou em um dispositivo.',
  'shared.orb': 'Que a sua verificação foi feita em um Orb',
  'shared.orbNote': 'Este aplicativo não aceita outra verificação.',
  'shared.email': 'Um endereço de e-mail fictício',
  'shared.emailNote': 'É formado a partir do identificador. Ninguém lê o que é enviado a ele.',
  'shared.name': 'Um nome fictício',
  'shared.nameNote': 'É o mesmo para todas as pessoas que entram.',
  'shared.known': 'Uma marca neste navegador',
  'shared.knownNote':
    'Para que possa voltar, este navegador guarda uma marca para esta aplicação. Ela não nomeia ninguém.',
  'shared.nothingElse':
    'Ele não fica sabendo seu nome, seu endereço nem o que você faz em outros aplicativos.',

  'passkey.use': 'Tenho uma chave de acesso',
  'passkey.useNote':
    'Para quem guardou uma chave de acesso para {client}. Depois, a sua carteira prova que é você.',
  'passkey.refused': 'Esta chave de acesso não foi aceita. Tente outra ou entre sem ela.',
  'passkey.stopped': 'Nenhuma chave de acesso foi usada. Você pode tentar de novo.',
  'passkey.unanswered':
    'Nenhuma resposta chegou do serviço de início de sessão. Recarregue esta página para ver se funcionou.',
  'passkey.save': 'Salvar uma chave de acesso',
  'passkey.saveNote':
    'Uma chave de acesso segue você nos seus outros aparelhos, onde {client} então encontra você. Sem a sua carteira, ela não faz você entrar.',
  'passkey.notSaved': 'Nenhuma chave de acesso foi salva. Você pode tentar de novo.',
  'known.title': 'Como {client} reconhece você',
  'known.text':
    'Quando você volta a {client}, um destes encontra você, e depois a sua carteira prova que é você. Nenhum deles faz alguém entrar por si só, e nenhum contém o seu nome.',
  'known.kept': 'Cada um é apagado {time} depois do último uso.',
  'known.sessions': 'Sessões do seu World ID',
  'known.bound': 'Sessão, ligada a você por uma só prova',
  'known.paired': 'Sessão, ligada a você em dois passos',
  'known.sessionAlone': 'Só uma sessão, que não mostra que você é uma única pessoa',
  'known.browsers': 'Navegadores',
  'known.thisBrowser': 'Este navegador',
  'known.otherBrowser': 'Outro navegador',
  'known.passkeys': 'Chaves de acesso',
  'known.passkey': 'Chave de acesso',
  'known.dates': 'Desde {created}, último uso em {used}',
  'known.none': 'Não há nada aqui.',
  'known.forget': 'Apagar',
  'known.forgetSessionNote': 'Navegadores e chaves de acesso que levam a esta sessão são apagados com ela.',
  'known.forgetPointerNote': 'Nesse navegador você não será mais reconhecido.',
  'known.forgetPasskeyNote':
    'Ela não encontrará mais você aqui. Apague-a também no seu gerenciador de senhas.',
  'known.forgetAll': 'Esquecer tudo',
  'known.forgetAllNote':
    '{client} não reconhecerá mais você. A sua carteira pode recusar por até um ano provar o mesmo de novo, e nesse tempo você não conseguiria entrar. Esta entrada ainda vale.',
  'known.end': 'Pronto?',

  'state.waiting': 'Aguardando a sua carteira.',
  'state.connected': 'Confirme na sua carteira.',
  'state.verifying': 'Verificando a prova…',
  'state.completed': 'Identidade confirmada. Voltando para {client}…',
  'state.completed.stays': 'Identidade confirmada. Use o botão para voltar para {client}.',
  'state.expired': 'O tempo para responder acabou.',
  'state.failed': 'Não foi possível entrar.',
  'state.failed.invalid_proof': 'A prova não é válida para este início de sessão. Tente de novo.',
  'state.failed.invalid_format': 'Não foi possível ler a resposta da sua carteira. Tente de novo.',
  'state.failed.invalid_merkle_root':
    'Sua carteira fez a prova com uma lista de pessoas que este serviço não conhece.',
  'state.failed.root_too_old':
    'Sua carteira fez a prova com uma lista de pessoas desatualizada. Tente de novo.',
  'state.failed.server_error': 'Algo deu errado do nosso lado. Tente de novo.',
  'state.failed.malformed_request':
    'A sua carteira não consegue ler este pedido. Atualize a carteira e tente de novo.',
  'state.failed.generic_error':
    'A sua carteira não conseguiu responder. Se outra pessoa esteve antes neste navegador, escolha isso em baixo; caso contrário, tente de novo.',
  'state.refused': 'Sua carteira informou um erro.',
  'state.refused.access_denied': 'Este início de sessão foi cancelado.',
  'state.refused.verification_rejected': 'Você recusou na sua carteira.',
  'state.refused.credential_unavailable': 'Sua carteira não tem uma credencial adequada.',
  'state.refused.login_required': 'O aplicativo espera outra pessoa: você não é quem está conectado lá.',
  'state.refused.unmet_authentication_requirements':
    'Este aplicativo pede uma verificação em um Orb, e sua carteira apresentou outra.',
  'state.refused.inclusion_proof_pending':
    'Sua identidade ainda não está na lista de pessoas verificadas. Tente mais tarde.',
  'state.refused.inclusion_proof_failed':
    'Sua carteira não conseguiu mostrar que você está na lista de pessoas verificadas.',
  'state.refused.invalid_network': 'Sua carteira está conectada a outra rede.',
  'state.refused.max_verifications_reached':
    'Sua carteira atingiu o limite de verificações para este aplicativo.',
  'state.refused.credential_not_allowed': 'Este aplicativo não aceita este tipo de credencial.',
  'state.refused.environment_not_allowed': 'Este aplicativo não aceita provas deste ambiente.',
  'state.refused.protocol_version_not_allowed': 'Este aplicativo não aceita provas desta versão do World ID.',
  'state.refused.user_rejected': 'Você recusou na sua carteira.',
  'state.refused.timeout': 'Você não respondeu a tempo na sua carteira.',
  'state.refused.user_presence_failed':
    'Sua carteira não conseguiu confirmar que é você quem a usa. Entre de novo e permita a verificação.',
  'state.refused.feature_unavailable':
    'Falta à sua carteira um recurso de que este início de sessão precisa. Atualize a carteira e entre de novo.',
  'state.refused.world_id_3_not_available':
    'Sua carteira não tem um World ID 3.0, que este aplicativo pede. Entre com uma carteira que tenha um.',
  'state.refused.world_id_4_not_available':
    'Sua carteira não tem um World ID 4.0. Atualize a carteira e entre de novo.',
  'state.refused.nullifier_replayed':
    'A sua carteira já provou isto e não o faz de novo. O que ajuda: o navegador em que iniciou sessão antes, uma chave de acesso que guardou ou outro dispositivo com o seu World ID. Nos dez minutos após a primeira vez, a sua carteira prova-o de novo.',
  'state.refused.identity_attributes_not_matched':
    'O que o aplicativo pede não corresponde à identidade na sua carteira.',
  'signin.unreachable':
    'No momento não chega resposta do serviço de início de sessão. Esta página continua tentando.',
  'signin.busy':
    'O serviço de início de sessão está sobrecarregado. Esta página continuará sozinha em instantes.',

  'simulator.title': 'Link para um simulador de carteira',
  'simulator.address': 'Endereço para colar no simulador',
  'simulator.copy': 'Copiar o endereço',
  'simulator.copied': 'Copiado.',
  'simulator.copyByHand':
    'O navegador não permite copiar aqui. O endereço está selecionado: copie-o manualmente.',

  'error.title': 'Há um problema com esta solicitação',
  'error.ourTitle': 'Algo deu errado do nosso lado',
  'error.advice':
    'Volte ao aplicativo que trouxe você até aqui e tente de novo. Se acontecer outra vez, informe aos responsáveis por ele os dados abaixo.',
  'error.ourAdvice': 'Tente de novo daqui a pouco.',
  'error.invalid_request': 'O aplicativo enviou uma solicitação que este serviço não consegue usar.',
  'error.required': 'O aplicativo omitiu um dado de que este serviço precisa.',
  'error.invalid_redirect_uri':
    'O aplicativo quer levar você a um endereço que não está registrado para ele.',
  'error.invalid_request_uri':
    'Este link do aplicativo não é válido, ou já não é: um link assim funciona por pouco tempo e para um único início de sessão. Comece de novo no aplicativo.',
  'error.request_uri_used':
    'Este link do aplicativo já foi usado: um início de sessão com ele terminou. Se o aplicativo não reconhecer você, recomece por ele.',
  'error.request_uri_expired': 'Este link do aplicativo expirou. Comece de novo no aplicativo.',
  'error.app_not_found': 'Este serviço não conhece o aplicativo.',
  'error.sign_in_not_enabled': 'O início de sessão está desativado para este aplicativo.',
  'error.request_too_large': 'A solicitação do aplicativo é grande demais.',
  'error.not_found': 'Esta página não existe.',
  'error.server_error': 'O serviço não consegue responder no momento.',
  'error.message': 'Mensagem',
  'error.code': 'Código',
  'error.attribute': 'Atributo',
  'error.request': 'Solicitação',
  'error.details': 'Dados técnicos',

  'lost.title': 'Este início de sessão não pode continuar aqui',
  'lost.otherOrigin': 'Esta página foi aberta em {actual}, mas o início de sessão só funciona em {expected}.',
  'lost.noSession': 'Seu navegador não faz parte deste início de sessão, ou ele já terminou.',
  'lost.advice': 'Volte ao aplicativo e recomece, com os cookies permitidos e em um mesmo navegador.',
  'lost.causes': 'Causas prováveis',
  'lost.tooLong': 'O início de sessão levou mais de {minutes}.',
  'lost.cookiesBlocked': 'Os cookies estão bloqueados para {host}.',
  'lost.otherBrowser': 'O link foi aberto em outro navegador, em outro dispositivo ou em uma janela anônima.',
  'lost.secureRefused':
    'Este navegador recusa cookies seguros de {expected}, porque não é https. O Safari os recusa de qualquer endereço http, o Firefox de todos menos localhost; o Chrome os aceita.',
  'lost.tooMany': 'Havia mais de {count} inícios de sessão abertos neste navegador.',
  'lost.http': 'A página foi aberta com http em vez de https.',
  'lost.cookie': 'Cookie ausente',
  'lost.expected': 'Origem esperada',
  'lost.actual': 'Origem real',
  'finished.title': 'Este início de sessão já terminou',
  'finished.text': 'O aplicativo já recebeu a resposta. Você pode fechar esta página.',
  'finished.advice': 'Se o aplicativo não reconhecer você, recomece por ele.',

  'logout.ask': 'Sair?',
  'logout.askText': 'Este navegador está conectado a:',
  'logout.button': 'Sair',
  'logout.stay': 'Para continuar conectado, feche esta página.',
  'logout.done': 'Você saiu',
  'logout.doneFrom': 'Você saiu de {client}',
  'logout.doneText': 'Você pode fechar esta página. O próximo acesso pedirá uma nova prova.',
  'logout.none': 'Você não está conectado',
  'logout.noneFrom': 'Você não está conectado a {client}',
  'logout.noneText': 'Não há nenhuma sessão para encerrar neste navegador. Você pode fechar esta página.',

  'wait.title': 'Aguarde um momento',
  'wait.text': 'Chegaram solicitações demais da sua rede.',
  'wait.again': 'Você poderá tentar de novo em {wait}.',
  'wait.now': 'Você já pode tentar de novo.',
  'wait.goesOn': 'Depois disso, esta página continuará sozinha.',
  'wait.retry': 'Tentar de novo',

  'notFound.title': 'Página não encontrada',
  'notFound.text': 'Não há nada neste endereço.',
  'notFound.advice': 'Se um aplicativo trouxe você até aqui, volte a ele e recomece.',
  'notFound.home': 'Sobre este serviço',

  'landing.text':
    'Aqui as pessoas provam que são humanas sem revelar quem são. Aplicativos usam este serviço para o início de sessão.',
  'landing.advice':
    'Não há nada a fazer nesta página. Para entrar, comece pelo aplicativo que você quer usar.',
  'landing.links': 'Links',
  'landing.demo': 'Experimentar a demonstração',
  'landing.wallet': 'Abrir a carteira de demonstração',
  'landing.docs': 'Referência da API para desenvolvedores',
  'landing.discovery': 'Configuração para desenvolvedores',

  'formPost.title': 'Voltar ao aplicativo',
  'formPost.text': 'Use o botão se você não voltar ao aplicativo automaticamente.',
  'formPost.button': 'Continuar',
};
