//! How sure, how strong and whose a statement is.

use super::{Sense, SenseRow};

pub(super) const ROWS: &[SenseRow] = &[
    (
        Sense::Not,
        "not no never none nobody nothing neither nor without cannot hardly barely \
         | nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder kaum \
         ne pas jamais aucun aucune rien sans ni \
         nunca jamas ningun ninguno ninguna nadie nada sin tampoco \
         non nessun nessuno nessuna niente senza nao nenhum nenhuma ninguem sem nem \
         niet geen nooit zonder не нет ни никогда никто ничего без нельзя nie bez nigdy zaden zadna \
         degil yok hic لا لم لن ليس ليست ولا ولم ولن وليس غير بدون دون 안 못 없* 않* 아니* नहीं न बिना",
        &["不", "没", "未", "无", "無い", "ない", "ません", "なかった", "なく", "せず", "并非", "沒"],
    ),
    (
        Sense::Hedge,
        "may might could possibly perhaps probably likely suggest suggests suggested suggesting appear appears seem seems seemed reportedly allegedly apparently supposedly presumably believed \
         potentially unclear preliminary suspected alleged speculat* \
         | moglicherweise vielleicht vermutlich wahrscheinlich* angeblich offenbar scheint konnte konnten durfte durften mutmasslich* deuten hinweis* \
         peut peut-etre pourrai* probabl* sembl* suggere* vraisemblabl* apparemment serait seraient aurait auraient \
         quiza* podri* podra* probabl* posibl* parec* sugier* supuest* presunt* habria habrian \
         forse sarebbe sarebbero avrebbe avrebbero teria teriam potrebb* probabil* sembra* possibil* presunt* talvez podera* poderia* provavel* possivel* \
         возможно вероятн* может могут мог предположительн* якобы кажется видимо mozliw* prawdopodobn* podobno \
         olabilir muhtemel* belki mogelijk* waarschijnlijk* misschien lijkt kan kunnen \
         قد ربما يحتمل محتمل* يبدو 수있* 아마* 가능성* 추정* शायद संभव* संभावना",
        &[
            "可能",
            "也许",
            "或许",
            "据说",
            "似乎",
            "大概",
            "かもしれ",
            "おそらく",
            "ようだ",
            "ようです",
            "らしい",
            "とされ",
            "可能性",
            "とみられ",
            "疑い",
            "或將",
            "或将",
            "有望",
            "恐れ",
        ],
    ),
    (
        Sense::Plan,
        "plan plans planned planning expect* schedul* propos* intend* aim aims aimed forecast* projected target* hope* draft seek* \
         | geplant* plante planten planen soll sollen sollte vorgesehen* beabsicht* erwart* voraussichtlich ziel* rechnet \
         prevu* prevoi* projet* envisag* devrai* souhait* espere* \
         previst* planea* preve preven proyect* espera* pretend* propon* propus* \
         previst* prevede* progett* intend* dovrebb* planej* preve* pretende* espera* devera deverao \
         планир* намер* ожида* предпол* должн* собира* planuj* zamierza* przewid* oczekuj* \
         planla* beklen* hedef* gepland* verwacht* zal zullen voornemen \
         يخطط تخطط خطة يتوقع متوقع* المقرر مقرر تعتزم يعتزم ينوي 계획* 예정* 전망* 방침* 목표* योजना अपेक्ष*",
        &[
            "计划",
            "预计",
            "拟",
            "予定",
            "見通し",
            "見込み",
            "計画",
            "方針",
            "目指",
            "规划",
            "目标",
            "预期",
            "期待",
        ],
    ),
    (
        Sense::Cause,
        "cause* caused causing because due result* drove drive* driven trigger* explain* blame* attribut* reflect* owing thanks \
         improv* boost* reduc* prevent* cure* damag* responsible reason* influenc* affect* impact* consequence* \
         | verursach* ursach* wegen weil fuhrt* grund grunde ausgelost zuruckzufuhren dank durch folge* infolge zuruck \
         cause* parce grace raison* expliqu* provoqu* entrain* attribu* consequence* \
         causa* porque debid* explica* provoc* atribuy* atribui* motiv* culp* gracias consecuencia* \
         caus* perche dovut* spieg* provoc* attribu* grazie devido motivo* explic* graças \
         причин* вызва* из-за потому обусловл* привел* приводит благодаря объясн* связыва* \
         przyczyn* powod* spowod* ponieważ dzieki neden* sebep* yuzunden sayesinde \
         oorzaak* veroorza* wegens omdat dankzij leidde* \
         سبب* أدى أدت يؤدي نتيجة جراء يعزو عزت عزا بفضل لأن 때문* 원인* 인해 탓* 덕분* 이유* कारण वजह",
        &[
            "导致",
            "因为",
            "由于",
            "造成",
            "原因",
            "引起",
            "归因",
            "使得",
            "影响",
            "のため",
            "によって",
            "により",
            "もたらし",
            "起因",
            "理由",
            "せい",
            "ため",
            "得益",
        ],
    ),
    (
        Sense::Linked,
        "associated association associations correlat* linked links observational | korrel* zusammenhang* verbund* einhergeh* assoziier* associe* liee correl* lien \
         asoci* relacion* correlac* vincul* associat* legat* correlat* associad* ligad* связан* коррел* ассоци* zwiazan* powiazan* koreluj* iliskili* baglanti* \
         verband* samenhang* gerelateerd* مرتبط* ارتبط* علاقة صلة 연관* 관련* 상관* संबंध* जुड़ा*",
        &["相关", "有关", "关联", "関連", "相関", "観察研究", "观察性", "联系"],
    ),
    (
        Sense::All,
        "all every everyone everybody always everywhere entire | alle allen aller alles immer stets samtlich* ausnahmslos uberall \
         ganze ganzen ganzer ganzes gesamte gesamten gesamter entier entiere entero entera intero intera inteiro inteira gehele \
         caly calej calego весь вся всю всей varje alltid \
         tous toutes toujours partout todos todas siempre tutti tutte sempre ovunque tudo \
         все всех всем всегда wszyst* zawsze tum butun hepsi daima altijd \
         كل جميع كافة دائما جميعها جميعهم 모든 모두 전부 항상 전체 सभी सब हमेशा",
        &[
            "所有",
            "全部",
            "全体",
            "每个",
            "每一",
            "都是",
            "一律",
            "总是",
            "全て",
            "すべて",
            "全員",
            "必ず",
            "常に",
            "各地",
        ],
    ),
    (
        Sense::Only,
        "only solely exclusively just merely | nur ausschliesslich lediglich bloss seul seule seuls seules uniquement exclusivement solo solamente unicamente exclusivamente \
         soltanto solamente esclusivamente apenas somente только лишь tylko jedynie sadece yalnizca alleen slechts فقط 만 केवल",
        &["只有", "仅", "只", "だけ", "のみ"],
    ),
    (
        Sense::Lacking,
        "lack* disput* fail* refus* reject* deny denies denied stop* close closed closes closing shut ended ends ceas* ban bans banned forbid* prohibit* prevent* \
         unable impossible absent missing rather instead former formerly last rarely seldom few fewer little until unlike contrary lost lose loses below \
         abandon* cancel* free exempt* withdr* resign* unsuccess* unknown unsupported unavailable excluded exclud* except without | \
         bestreit* contest* оспар* fehl* ablehn* lehnt* abgelehnt ohne verbot* verbiet* geschlossen schliess* eingestellt letzte* kaum statt unter unbekannt kostenlos gratis \
         refus* rejet* interdi* ferme fermee fermes sans dernier* manqu* gratuit* peu rarement \
         rechaz* neg* prohib* cerr* sin ultim* falt* gratis gratuit* poco rara \
         rifiut* vieta* chius* senza ultim* manca* rejeit* proib* fech* sem falt* \
         отказ* отклон* закры* без послед* запре* мало редко odrzuc* zamkn* bez brak* ostatni* رفض* منع* دون بعد",
        &["禁止", "停止", "否认", "拒绝", "缺", "尚未", "关闭", "中止", "無料", "免费", "廃止"],
    ),
    (
        Sense::Most,
        "most majority mostly mainly largely predominantly chiefly | meist* mehrheit* grossteil uberwiegend* hauptsachlich vorwiegend plupart majorit* surtout principalement \
          mayoria principalmente maggior* maggioranza maioria большинств* преимущественно glown* wiekszos* cogu cogunluk* meeste* meerderheid معظم أغلب غالبية 대부분* 대다수* 주로 अधिकांश ज़्यादातर",
        &["大多数", "大部分", "多数", "主要", "大半", "ほとんど", "主に"],
    ),
    (
        Sense::Some,
        "some several many few partly partially sometimes often occasionally certain half third quarter | einige manche viele mehrere teil* teilweise manchmal oft halfte drittel viertel \
         certain* quelques plusieurs partie souvent parfois moitie tiers quart algun* varios varias muchos muchas parte menudo veces mitad tercio \
         alcun* parte spesso meta algun* vario* parte metade некотор* нескольк* част* иногда многие половин* niektor* kilka czesc czasem wiele polow* bazi bircok kismen \
         sommige enkele veel deels soms helft بعض عدد جزء أحيانا كثير نصف 일부* 몇* 많* 절반* कुछ कई आधे",
        &["部分", "一些", "有些", "若干", "许多", "一部", "いくつか", "多く", "半数", "一半"],
    ),
    (
        Sense::Superlative,
        "largest biggest longest highest oldest tallest fastest most best greatest smallest lowest shortest worst \
        | grosste* langste* hochste* alteste* schnellste* beste* kleinste* niedrigste* meisten rekord* starkste* schlechteste* wichtigste* \
        maxim* minim* ultimo ultima ultimos ultimas mejor* peor* \
        maggior* miglior* peggior* ultimo ultima ultimos ultimas maior* melhor* pior* \
        самый самая самое самые крупнейш* лучш* худш* najwieksz* najlepsz* najwyzsz* najstarsz* najdluzsz* najmniejsz* \
        grootste hoogste oudste langste beste kleinste أكبر أصغر أطول أعلى أقدم أفضل الأكثر الأقل 가장 최대* 최고* 최초* 최장* 최소* सबसे",
        &["最", "一番"],
    ),
    (
        Sense::UpTo,
        "up maximum max most reach | bis hochstens maximal* jusqu jusqu'a maxim* hasta fino massim* ate maxim* до максим* maksym* kadar tot hoogstens maximaal konnen kann pouvoir peut peuvent puede pueden puo possono pode podem может \
         أقصى يصل تصل حتى 최대* 까지* अधिकतम तक",
        &["最高", "最多", "多达", "高达", "最大", "まで", "上限", "できる", "不超过"],
    ),
    (Sense::Than, "than | als que чем niz che dan daha من 보다 से", &["比", "より", "相比"]),
    (
        Sense::Against,
        "against from versus compared instead budget* planned previous* earlier before ago | statt gegenuber verglichen geplant* zuvor davor vorjahr* contre auparavant prevu* frente contra anterior* hace antes rispetto contro fa \
         anterior* ante против сравнени* ранее wobec wczesniej przed karsi tegen tegenover vorig* مقارنة مقابل السابق قبل 대비* 비해 전년* तुलना",
        &["比", "较", "相比", "より", "前年", "去年", "上年", "同比"],
    ),
    (
        Sense::Says,
        "said says say told stated announced argued wrote claimed explained reported added noted according warned admitted declared insisted replied commented believes \
         | sagte sagt erklarte erklart laut teilte betonte warnte ausserte zufolge meinte meint schrieb \
         declare dit selon affirme explique indique ajoute estime averti* assure souligne d'apres \
         dijo segun afirmo declaro explico anadio advirtio asegura indico senalo afirma \
         detto secondo dichiarato afferma affermato spiegato disse segundo afirmou declarou explicou \
         сказал* заявил* сообщил* отметил* словам считает powiedzial* wedlug oswiadczyl* stwierdzil* soyledi belirtti acikladi gore dedi \
         zei zegt volgens verklaarde aldus قال قالت صرح* أعلن* وفقا ذكر* أوضح* حذر* أكد* 말했* 밝혔* 따르면 전했* 설명했* 강조했* कहा बताया अनुसार",
        &["表示", "说", "称", "指出", "认为", "述べ", "語っ", "によると", "話し", "指摘", "发言", "宣布"],
    ),
    (
        Sense::Passive,
        "by | von vom durch par por pelo pela da dal dalla przez tarafindan от من 의해 에게 द्वारा",
        &["被", "由", "によって", "により", "から", "に"],
    ),
];
