//! Notices of what limits, users and earlier research did to a report, in each language but English, whose sentences stand
//! where they are said.

/// Whole sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoticePhrases {
    /// The plan was made smaller for a budget, with `{to}` and `{whole}`.
    pub cut: &'static str,
    /// The same for what is spent where no budget is stated.
    pub cut_guard: &'static str,
    /// With `{part}`.
    pub part_dropped: &'static str,
    /// With `{site}`.
    pub site_banned: &'static str,
    pub deadline: &'static str,
    pub budget: &'static str,
    pub cancelled: &'static str,
    /// The search was ended early by its user.
    pub finished: &'static str,
    /// A further question that nothing was searched for, with `{parent}` and `{pages}`.
    pub answered_from: &'static str,
    /// The same with a search.
    pub continued: &'static str,
    /// With `{why}`.
    pub not_written: &'static str,
    /// With `{n}`.
    pub too_dear: &'static str,
}

pub(super) const GERMAN: NoticePhrases = NoticePhrases {
    cut: "Der Plan wurde auf das Budget von {to} gekürzt: weniger Seiten, Teile oder Prüfungen als vorgesehen. Alles zusammen bräuchte ein Budget von etwa {whole}.",
    cut_guard: "Der Plan wurde auf {to} gekürzt, was ohne genanntes Budget ausgegeben wird (`budget.guard_usd`): weniger Seiten, Teile oder Prüfungen als vorgesehen. Alles zusammen bräuchte ein Budget von etwa {whole}.",
    part_dropped: "Auf Wunsch des Nutzers nicht zu Ende gesucht: {part}",
    site_banned: "Seiten von {site} wurden auf Wunsch des Nutzers ab einem bestimmten Punkt weggelassen.",
    deadline: "Die Zeit zum Sammeln endete vor den geplanten Durchgängen.",
    budget: "Das Budget beendete die Suche; der Rest blieb für das Schreiben.",
    cancelled: "Die Recherche wurde abgebrochen; dies ist, was bis dahin gefunden war.",
    finished: "Die Suche wurde auf Wunsch des Nutzers vorzeitig beendet; dies ist, was bis dahin gefunden war.",
    answered_from: "Dies beantwortet eine weitere Frage zur Recherche {parent} aus gespeicherten Seiten ({pages}); es wurde nichts gesucht und keine Seite abgerufen. Um auch zu suchen: `probity follow-up {parent} --search \"…\"`.",
    continued: "Dies setzt die Recherche {parent} fort: bereits gelesene Seiten wurden nicht erneut abgerufen; von Anfang an vorhanden: {pages}.",
    not_written: "Das Modell hat diesen Bericht nicht geschrieben ({why}); er besteht stattdessen aus Zitaten.",
    too_dear: "Das Budget reichte nicht für alles: weggelassene Suchen oder Lesungen durch das Modell: {n}; Seiten ohne Leser wurden nach Regeln zitiert.",
};

pub(super) const FRENCH: NoticePhrases = NoticePhrases {
    cut: "Le plan a été réduit au budget de {to} : moins de pages, de parties ou de vérifications que prévu. L'ensemble demanderait un budget d'environ {whole}.",
    cut_guard: "Le plan a été réduit à {to}, ce qui est dépensé quand aucun budget n'est indiqué (`budget.guard_usd`) : moins de pages, de parties ou de vérifications que prévu. L'ensemble demanderait un budget d'environ {whole}.",
    part_dropped: "Recherche non menée à son terme, à la demande de l'utilisateur : {part}",
    site_banned: "Les pages de {site} ont été écartées à partir d'un certain moment, à la demande de l'utilisateur.",
    deadline: "Le temps de collecte s'est terminé avant les tentatives prévues.",
    budget: "Le budget a mis fin à la recherche ; le reste a été gardé pour la rédaction.",
    cancelled: "La recherche a été annulée ; voici ce qui avait été trouvé.",
    finished: "La recherche a été arrêtée plus tôt, à la demande de l'utilisateur ; voici ce qui avait été trouvé.",
    answered_from: "Ceci répond à une autre question sur la recherche {parent} à partir de pages enregistrées ({pages}) ; rien n'a été cherché et aucune page n'a été chargée. Pour chercher aussi : `probity follow-up {parent} --search \"…\"`.",
    continued: "Ceci poursuit la recherche {parent} : les pages déjà lues n'ont pas été chargées de nouveau ; disponibles dès le début : {pages}.",
    not_written: "Le modèle n'a pas rédigé ce rapport ({why}) ; il est fait de citations.",
    too_dear: "Le budget n'a pas suffi à tout : recherches ou lectures par le modèle omises : {n} ; les pages sans lecteur ont été citées selon une règle.",
};

pub(super) const SPANISH: NoticePhrases = NoticePhrases {
    cut: "El plan se redujo al presupuesto de {to}: menos páginas, partes o comprobaciones de las previstas. Todo ello requeriría un presupuesto de unos {whole}.",
    cut_guard: "El plan se redujo a {to}, lo que se gasta cuando no se indica presupuesto (`budget.guard_usd`): menos páginas, partes o comprobaciones de las previstas. Todo ello requeriría un presupuesto de unos {whole}.",
    part_dropped: "No se buscó hasta el final, por deseo del usuario: {part}",
    site_banned: "Las páginas de {site} se omitieron a partir de cierto momento, por deseo del usuario.",
    deadline: "El tiempo de recopilación terminó antes que los intentos previstos.",
    budget: "El presupuesto puso fin a la búsqueda; el resto se reservó para la redacción.",
    cancelled: "Se canceló; esto es lo que se había encontrado.",
    finished: "La búsqueda se terminó antes, por deseo del usuario; esto es lo que se había encontrado.",
    answered_from: "Esto responde a otra pregunta sobre la investigación {parent} con páginas guardadas ({pages}); no se buscó nada ni se cargó ninguna página. Para buscar también: `probity follow-up {parent} --search \"…\"`.",
    continued: "Esto continúa la investigación {parent}: las páginas ya leídas no se cargaron de nuevo; disponibles desde el principio: {pages}.",
    not_written: "El modelo no redactó este informe ({why}); está hecho de citas.",
    too_dear: "El presupuesto no alcanzó para todo: búsquedas o lecturas del modelo omitidas: {n}; las páginas sin lector se citaron según una regla.",
};

pub(super) const ITALIAN: NoticePhrases = NoticePhrases {
    cut: "Il piano è stato ridotto al budget di {to}: meno pagine, parti o verifiche del previsto. Il tutto richiederebbe un budget di circa {whole}.",
    cut_guard: "Il piano è stato ridotto a {to}, quanto si spende senza un budget indicato (`budget.guard_usd`): meno pagine, parti o verifiche del previsto. Il tutto richiederebbe un budget di circa {whole}.",
    part_dropped: "Ricerca non portata a termine, per volontà dell'utente: {part}",
    site_banned: "Le pagine di {site} sono state escluse da un certo punto in poi, per volontà dell'utente.",
    deadline: "Il tempo per la raccolta è finito prima dei tentativi previsti.",
    budget: "Il budget ha posto fine alla ricerca; il resto è stato tenuto per la scrittura.",
    cancelled: "È stata annullata; questo è quanto era stato trovato.",
    finished: "La ricerca è stata terminata prima, per volontà dell'utente; questo è quanto era stato trovato.",
    answered_from: "Questo risponde a un'altra domanda sulla ricerca {parent} con pagine memorizzate ({pages}); non è stato cercato nulla e nessuna pagina è stata caricata. Per cercare anche: `probity follow-up {parent} --search \"…\"`.",
    continued: "Questo continua la ricerca {parent}: le pagine già lette non sono state caricate di nuovo; disponibili dall'inizio: {pages}.",
    not_written: "Il modello non ha scritto questo rapporto ({why}); è fatto di citazioni.",
    too_dear: "Il budget non è bastato per tutto: ricerche o letture del modello omesse: {n}; le pagine senza lettore sono state citate secondo una regola.",
};

pub(super) const PORTUGUESE: NoticePhrases = NoticePhrases {
    cut: "O plano foi reduzido ao orçamento de {to}: menos páginas, partes ou verificações do que o previsto. Tudo exigiria um orçamento de cerca de {whole}.",
    cut_guard: "O plano foi reduzido a {to}, o que se gasta quando nenhum orçamento é indicado (`budget.guard_usd`): menos páginas, partes ou verificações do que o previsto. Tudo exigiria um orçamento de cerca de {whole}.",
    part_dropped: "Não pesquisado até o fim, por desejo do utilizador: {part}",
    site_banned: "As páginas de {site} foram deixadas de fora a partir de certo ponto, por desejo do utilizador.",
    deadline: "O tempo de recolha terminou antes das tentativas previstas.",
    budget: "O orçamento encerrou a pesquisa; o restante foi guardado para a redação.",
    cancelled: "Foi cancelada; isto é o que tinha sido encontrado.",
    finished: "A pesquisa foi encerrada antes, por desejo do utilizador; isto é o que tinha sido encontrado.",
    answered_from: "Isto responde a outra pergunta sobre a pesquisa {parent} com páginas guardadas ({pages}); nada foi pesquisado e nenhuma página foi carregada. Para pesquisar também: `probity follow-up {parent} --search \"…\"`.",
    continued: "Isto continua a pesquisa {parent}: as páginas já lidas não foram carregadas de novo; disponíveis desde o início: {pages}.",
    not_written: "O modelo não redigiu este relatório ({why}); é feito de citações.",
    too_dear: "O orçamento não chegou para tudo: pesquisas ou leituras do modelo omitidas: {n}; as páginas sem leitor foram citadas segundo uma regra.",
};

pub(super) const DUTCH: NoticePhrases = NoticePhrases {
    cut: "Het plan is ingekort tot het budget van {to}: minder pagina's, delen of controles dan gepland. Alles samen zou een budget van ongeveer {whole} vragen.",
    cut_guard: "Het plan is ingekort tot {to}, wat zonder opgegeven budget wordt uitgegeven (`budget.guard_usd`): minder pagina's, delen of controles dan gepland. Alles samen zou een budget van ongeveer {whole} vragen.",
    part_dropped: "Op wens van de gebruiker niet tot het einde gezocht: {part}",
    site_banned: "Pagina's van {site} zijn op wens van de gebruiker vanaf een bepaald moment weggelaten.",
    deadline: "De tijd voor het verzamelen was om vóór de geplande pogingen.",
    budget: "Het budget beëindigde het zoeken; de rest is voor het schrijven bewaard.",
    cancelled: "Het onderzoek is geannuleerd; dit is wat tot dan toe gevonden was.",
    finished: "Het zoeken is op wens van de gebruiker eerder beëindigd; dit is wat tot dan toe gevonden was.",
    answered_from: "Dit beantwoordt een verdere vraag over onderzoek {parent} uit opgeslagen pagina's ({pages}); er is niets gezocht en geen pagina opgehaald. Om ook te zoeken: `probity follow-up {parent} --search \"…\"`.",
    continued: "Dit zet onderzoek {parent} voort: al gelezen pagina's zijn niet opnieuw opgehaald; vanaf het begin beschikbaar: {pages}.",
    not_written: "Het model heeft dit rapport niet geschreven ({why}); het bestaat uit citaten.",
    too_dear: "Het budget was niet genoeg voor alles: weggelaten zoekopdrachten of lezingen door het model: {n}; pagina's zonder lezer zijn volgens een regel geciteerd.",
};

pub(super) const POLISH: NoticePhrases = NoticePhrases {
    cut: "Plan skrócono do budżetu {to}: mniej stron, części lub sprawdzeń, niż przewidziano. Całość wymagałaby budżetu około {whole}.",
    cut_guard: "Plan skrócono do {to}, czyli tyle, ile wydaje się bez podanego budżetu (`budget.guard_usd`): mniej stron, części lub sprawdzeń, niż przewidziano. Całość wymagałaby budżetu około {whole}.",
    part_dropped: "Na życzenie użytkownika nie przeszukano do końca: {part}",
    site_banned: "Strony {site} od pewnego momentu pomijano na życzenie użytkownika.",
    deadline: "Czas zbierania skończył się przed zaplanowanymi próbami.",
    budget: "Budżet zakończył wyszukiwanie; resztę zachowano na pisanie.",
    cancelled: "Badanie anulowano; oto co do tej pory znaleziono.",
    finished: "Wyszukiwanie zakończono wcześniej na życzenie użytkownika; oto co do tej pory znaleziono.",
    answered_from: "To odpowiedź na dalsze pytanie do badania {parent} na podstawie zapisanych stron ({pages}); niczego nie szukano i nie pobrano żadnej strony. Aby także szukać: `probity follow-up {parent} --search \"…\"`.",
    continued: "To kontynuacja badania {parent}: przeczytanych już stron nie pobierano ponownie; dostępne od początku: {pages}.",
    not_written: "Model nie napisał tego raportu ({why}); składa się on z cytatów.",
    too_dear: "Budżet nie wystarczył na wszystko: pominięte wyszukiwania lub odczyty przez model: {n}; strony bez czytelnika zacytowano według reguły.",
};

pub(super) const RUSSIAN: NoticePhrases = NoticePhrases {
    cut: "План сокращён до бюджета {to}: меньше страниц, частей или проверок, чем предусмотрено. На всё потребовался бы бюджет около {whole}.",
    cut_guard: "План сокращён до {to} — столько тратится, если бюджет не указан (`budget.guard_usd`): меньше страниц, частей или проверок, чем предусмотрено. На всё потребовался бы бюджет около {whole}.",
    part_dropped: "По желанию пользователя поиск не доведён до конца: {part}",
    site_banned: "Страницы {site} с определённого момента не использовались по желанию пользователя.",
    deadline: "Время сбора закончилось раньше запланированных попыток.",
    budget: "Бюджет завершил поиск; остаток сохранён для написания.",
    cancelled: "Исследование отменено; вот что было найдено.",
    finished: "Поиск завершён досрочно по желанию пользователя; вот что было найдено.",
    answered_from: "Это ответ на дополнительный вопрос к исследованию {parent} по сохранённым страницам ({pages}); поиск не проводился, страницы не загружались. Чтобы также искать: `probity follow-up {parent} --search \"…\"`.",
    continued: "Это продолжение исследования {parent}: прочитанные страницы не загружались снова; доступно с самого начала: {pages}.",
    not_written: "Модель не написала этот отчёт ({why}); он состоит из цитат.",
    too_dear: "Бюджета не хватило на всё: пропущено поисков или чтений моделью: {n}; страницы без читателя процитированы по правилу.",
};

pub(super) const CHINESE: NoticePhrases = NoticePhrases {
    cut: "计划已缩减至预算 {to}：页面、部分或核查少于原定。全部完成约需预算 {whole}。",
    cut_guard: "计划已缩减至 {to}，即未指定预算时的花费上限（`budget.guard_usd`）：页面、部分或核查少于原定。全部完成约需预算 {whole}。",
    part_dropped: "按用户要求未检索完毕：{part}",
    site_banned: "按用户要求，自某一时刻起不再使用 {site} 的页面。",
    deadline: "收集时间在计划的尝试完成之前结束。",
    budget: "预算用尽，检索结束；余额留作撰写。",
    cancelled: "研究已取消；以下是已找到的内容。",
    finished: "检索按用户要求提前结束；以下是已找到的内容。",
    answered_from: "本文依据已存储的页面（{pages}）回答关于研究 {parent} 的后续问题；未作检索，也未抓取页面。如需检索：`probity follow-up {parent} --search \"…\"`。",
    continued: "本文延续研究 {parent}：已读页面未再抓取；一开始即可用的页面：{pages}。",
    not_written: "模型未撰写本报告（{why}）；改由引文构成。",
    too_dear: "预算不足以完成全部：略去的检索或模型阅读：{n}；无人阅读的页面按规则引用。",
};

pub(super) const JAPANESE: NoticePhrases = NoticePhrases {
    cut: "計画は予算 {to} に合わせて縮小されました。ページ、部分、確認が予定より少なくなっています。すべてにはおよそ {whole} の予算が必要です。",
    cut_guard: "計画は、予算の指定がない場合に使う額（`budget.guard_usd`）である {to} に縮小されました。ページ、部分、確認が予定より少なくなっています。すべてにはおよそ {whole} の予算が必要です。",
    part_dropped: "利用者の希望により最後まで検索していません：{part}",
    site_banned: "利用者の希望により、途中から {site} のページを除きました。",
    deadline: "収集の時間が、予定した試行より先に終わりました。",
    budget: "予算により検索を終えました。残りは執筆のために取ってあります。",
    cancelled: "中止されました。これはそれまでに見つかったものです。",
    finished: "利用者の希望により検索を早く終えました。これはそれまでに見つかったものです。",
    answered_from: "調査 {parent} についての追加の質問に、保存済みのページ（{pages}）から答えたものです。検索もページの取得も行っていません。検索もする場合：`probity follow-up {parent} --search \"…\"`。",
    continued: "調査 {parent} の続きです。読み終えたページは再取得していません。最初からあったページ：{pages}。",
    not_written: "モデルはこの報告を書いていません（{why}）。代わりに引用で構成されています。",
    too_dear: "予算がすべてには足りませんでした。省いた検索またはモデルによる読み取り：{n}。読み手のないページは規則で引用しました。",
};

pub(super) const KOREAN: NoticePhrases = NoticePhrases {
    cut: "계획을 예산 {to}에 맞추어 줄였습니다. 페이지, 부분 또는 확인이 예정보다 적습니다. 전부 하려면 약 {whole}의 예산이 필요합니다.",
    cut_guard: "예산을 정하지 않았을 때 쓰는 금액(`budget.guard_usd`)인 {to}에 맞추어 계획을 줄였습니다. 페이지, 부분 또는 확인이 예정보다 적습니다. 전부 하려면 약 {whole}의 예산이 필요합니다.",
    part_dropped: "사용자의 뜻에 따라 끝까지 검색하지 않음: {part}",
    site_banned: "사용자의 뜻에 따라 어느 시점부터 {site}의 페이지를 제외했습니다.",
    deadline: "수집 시간이 계획한 시도보다 먼저 끝났습니다.",
    budget: "예산 때문에 검색을 마쳤습니다. 나머지는 작성을 위해 남겨 두었습니다.",
    cancelled: "취소되었습니다. 그때까지 찾은 내용입니다.",
    finished: "사용자의 뜻에 따라 검색을 일찍 마쳤습니다. 그때까지 찾은 내용입니다.",
    answered_from: "조사 {parent}에 대한 추가 질문에 저장된 페이지({pages})로 답한 것입니다. 검색하거나 페이지를 가져오지 않았습니다. 검색도 하려면: `probity follow-up {parent} --search \"…\"`.",
    continued: "조사 {parent}의 계속입니다. 이미 읽은 페이지는 다시 가져오지 않았습니다. 처음부터 있던 페이지: {pages}.",
    not_written: "모델이 이 보고서를 쓰지 않았습니다({why}). 대신 인용문으로 이루어져 있습니다.",
    too_dear: "예산이 모두에 미치지 못했습니다. 뺀 검색 또는 모델의 읽기: {n}. 읽는 이가 없는 페이지는 규칙에 따라 인용했습니다.",
};

pub(super) const ARABIC: NoticePhrases = NoticePhrases {
    cut: "قُلّصت الخطة إلى ميزانية {to}: صفحات أو أجزاء أو عمليات تحقق أقل مما خُطط. يتطلب الكل ميزانية تقارب {whole}.",
    cut_guard: "قُلّصت الخطة إلى {to}، وهو ما يُنفق دون ميزانية محددة (`budget.guard_usd`): صفحات أو أجزاء أو عمليات تحقق أقل مما خُطط. يتطلب الكل ميزانية تقارب {whole}.",
    part_dropped: "لم يكتمل البحث بناءً على رغبة المستخدم: {part}",
    site_banned: "استُبعدت صفحات {site} ابتداءً من لحظة معينة بناءً على رغبة المستخدم.",
    deadline: "انتهى وقت الجمع قبل المحاولات المخطط لها.",
    budget: "أنهت الميزانية البحث؛ وحُفظ الباقي للكتابة.",
    cancelled: "أُلغي البحث؛ وهذا ما عُثر عليه حتى ذلك الحين.",
    finished: "أُنهي البحث مبكرًا بناءً على رغبة المستخدم؛ وهذا ما عُثر عليه حتى ذلك الحين.",
    answered_from: "هذه إجابة عن سؤال إضافي حول البحث {parent} من صفحات محفوظة ({pages})؛ لم يُجرَ بحث ولم تُجلب صفحات. للبحث أيضًا: `probity follow-up {parent} --search \"…\"`.",
    continued: "هذا استكمال للبحث {parent}: لم تُجلب الصفحات المقروءة من جديد؛ المتاح منذ البداية: {pages}.",
    not_written: "لم يكتب النموذج هذا التقرير ({why})؛ وهو مؤلف من اقتباسات.",
    too_dear: "لم تكفِ الميزانية لكل شيء: عمليات بحث أو قراءات للنموذج حُذفت: {n}؛ واقتُبست الصفحات بلا قارئ وفق قاعدة.",
};
