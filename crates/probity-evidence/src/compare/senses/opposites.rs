//! Pairs of opposites. The first pair says which way a quantity goes; the others exclude each other.

/// Left side, right side, and pairs of parts of texts without spaces. What stands before the bar is English.
pub(super) type OppositeRow = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

pub(super) const ROWS: &[OppositeRow] = &[
    // Up and down, more and less.
    (
        "rose rise rises rising risen climb* grew grow* growth increas* more higher larger bigger greater longer gain gained gains surge* \
         soar* jump* expan* exceed* surpass* above warmer older taller heavier expensive costlier dearer richer \
         | stieg* steig* gestiegen anstieg* angestiegen erhoh* wuchs* wachs* gewachsen zunahm* zunehm* zugenommen mehr hoher* grosser* langer* teurer* \
         augment* hauss* progress* croiss* accru* depass* plus superieur* ubersteig* uberstieg* ubertraf* \
         superaba superaban supero superaron supera superan superar superou superaram superano superato superata rebas* encima \
         aumen* subio subieron subiu subiram sube suben subida subido subir crecio crece crecen crecer crecido crecimiento mas superior* incremen* \
         cresc* salito salita saliti salgono piu maggior* alzat* mais maior* elevou elevado ampli* \
         вырос* раст* рост* увелич* повыс* больше более выше подня* подорож* превыс* превыш* przekrocz* przewyzsz* تجاوز* \
         wzros* rosn* zwieksz* wiecej wyzsz* wieksz* \
         arttı artis artar artan artmis artti yuksel* buyu* daha fazla \
         gestegen steeg stijg* stijging toegenomen groei* meer hoger* groter* \
         okade okar okat okning* vaxte vaxer vuxit hojs hojdes hojde hojning* hogre storre langre \
         ارتفع* ارتفاع* زاد* زيادة ازداد* تزايد* نما نمو أكثر أكبر أعلى \
         증가* 늘* 상승* 올랐* 오르* 성장* 많* 높* बढ़* अधिक ज़्यादा वृद्धि",
        "fell fall falls falling fallen drop* declin* decreas* shrank shrink* shrunk less fewer lower lowered smaller shorter lose lost losing loses \
         plung* reduc* dip* down below cheaper colder younger shed sheds slump* slid \
         sank sink* | gesunken fiel* fallt gefallen ruckgang* zuruckg* abnahm* abgenommen verringer* reduzier* senk* gesenkt schrumpf* weniger niedriger* \
         kleiner* kurzer* billiger* gunstiger* verlor* verlier* gesunk* \
         baiss* diminu* recul* chut* moins inferieur* redui* retreci* perdu* \
         disminu* debajo abaixo baixou baixaram bajo bajaron bajan baja bajada bajado cayo cayeron cae caen caer caida caido descen* menos inferior* redu* perdi* \
         calo calato calata calati calano diminui* scend* sces* meno minore minori ridott* ridu* caiu cair* queda diminu* reduz* perd* \
         упал* пада* сниз* сниж* уменьш* сократ* сокращ* меньше менее ниже подешев* \
         spadl* spadek zmniejsz* mniej nizsz* mniejsz* \
         azal* dustu dusen dusus geril* \
         gedaald daal* daling afgenomen minder lager* kleiner* \
         minskade minskar minskat minskning* sanks sanktes sankte sankning* farre lagre kortare \
         انخفض* انخفاض* تراجع* قل هبط* نقص* أقل أصغر أدنى تقلص* \
         감소* 줄* 하락* 떨어* 내렸* 적* 낮* घट* कम कमी गिराव*",
        &[
            ("增加", "减少"),
            ("增長", "減少"),
            ("增长", "下降"),
            ("上升", "下滑"),
            ("上涨", "下跌"),
            ("提高", "降低"),
            ("增多", "缩减"),
            ("扩大", "缩小"),
            ("扩大", "收窄"),
            ("引き上げ", "引き下げ"),
            ("値上げ", "値下げ"),
            ("引き上げ", "値下げ"),
            ("高于", "低于"),
            ("多于", "少于"),
            ("增え", "減っ"),
            ("増加", "減少"),
            ("増え", "減り"),
            ("上昇", "低下"),
            ("上回", "下回"),
            ("拡大", "縮小"),
            ("高い", "低い"),
            ("伸び", "落ち"),
            ("回升", "回落"),
            ("多い", "少ない"),
            ("增至", "降至"),
            ("更多", "更少"),
            ("更高", "更低"),
            ("大きい", "小さい"),
            ("上がっ", "下がっ"),
            ("超过", "不到"),
            ("増や", "減ら"),
            ("上回", "及ばな"),
            ("超え", "届かな"),
            ("高于", "不及"),
            ("超过", "不及"),
        ],
    ),
    (
        "approv* accept* adopt* endors* ratif* passed agreed confirm confirms confirmed | genehmig* billig* angenommen zugestimmt stimmt* beschloss* approuv* adopt* accept* valid* aprob* acept* \
         adopt* approvat* accett* aprov* aceit* одобр* принял* утверд* zatwierdz* przyjel* onayla* kabul goedgekeurd aangenomen وافق* أقر* 승인* 가결* 채택* मंज़ूर*",
        "reject* refus* veto* denied | abgelehn* lehnt* verworfen verweiger* rejet* refus* rechaz* deneg* nego negaron respint* rifiut* bocciat* rejeit* recus* \
         отклон* отверг* отказ* odrzuc* reddet* redded* afgewezen رفض* 거부* 부결* 기각* अस्वीकार*",
        &[
            ("批准", "否决"),
            ("通过", "否决"),
            ("接受", "拒绝"),
            ("可決", "否決"),
            ("承認", "却下"),
            ("同意", "拒绝"),
            ("賛成", "反対"),
        ],
    ),
    (
        "support* favour* favor* backs backed backing welcom* champion* | begruss* приветств* befurwort* unterstutz* soutien* soutenu* appuie* apoy* respald* favor* sostien* appogg* apoia* apoi* \
         поддерж* poparl* popier* destekle* steun* دعم* يؤيد أيد* تؤيد 지지* 찬성* समर्थन*",
        "oppos* against criticis* criticiz* object* resist* | ablehn* lehnt* gegen widersetz* kritisier* oppos* contre critiqu* opon* opus* contra critic* oppon* contrari* opos* \
         против* выступил* sprzeciw* karsi tegen bezwaar عارض* يعارض تعارض 반대* 비판* विरोध*",
        &[("支持", "反对"), ("赞成", "反对"), ("賛成", "反対"), ("支持", "反対")],
    ),
    (
        "open* inaugurat* launch* | eroffn* geoffnet offnet* ouver* ouvr* inaugur* abrio abrieron abren abrir abier* inaugur* aperto aperta aperti apertura aprì inaug* abert* открыл* открыт* otwart* otworz* acild* geopend افتتح* فتح* 개장* 개통* 문을 열* खोल*",
        "close closes closed closing closure shut* | schloss* geschlossen schliess* ferme fermee fermes fermer fermeture cerr* clausur* chius* fechou fechado fechada encerr* закрыл* закрыт* zamkn* kapand* kapat* gesloten أغلق* إغلاق 폐쇄* 폐장* 닫* बंद",
        &[
            ("开放", "关闭"),
            ("开业", "关闭"),
            ("开幕", "闭幕"),
            ("開業", "閉鎖"),
            ("開店", "閉店"),
            ("開館", "閉館"),
            ("开通", "关闭"),
        ],
    ),
    (
        "continu* kept keep keeps begin* began begun start* resum* extend* | fortgesetz* fortsetz* begann beginn* gestartet poursui* continu* commenc* debut* prolong* \
         continu* sigue comenz* empez* inici* prolong* continua* inizi* começ* начал* продолж* kontynu* rozpocz* devam basla* doorgaan begonnen استمر* يواصل بدأ* 계속* 시작* जारी शुरू",
        "stop* ends ended ending ceas* halt* discontinu* suspend* abandon* cancel* terminat* scrap* switched | gestoppt stoppt* beend* eingestellt einstell* abgebrochen arret* cess* suspend* abandon* annul* interromp* \
         deten* detuv* suspend* ceso cesaron cancel* termino terminaron terminado terminated abandon* interromp* ferme fermee fermes fermer fermeture sospes* parou encerr* cessou остановил* прекрат* приостан* отмен* zatrzym* wstrzym* zakoncz* durdur* iptal gestopt gestaakt \
         توقف* أوقف* أنهى ألغى* 중단* 취소* 종료* बंद रोक*",
        &[
            ("继续", "停止"),
            ("继续", "终止"),
            ("继续", "中止"),
            ("开始", "停止"),
            ("継続", "中止"),
            ("継続", "停止"),
            ("続け", "やめ"),
            ("開始", "終了"),
            ("恢复", "暂停"),
            ("再開", "中断"),
        ],
    ),
    (
        "allow* permit* legal* authoris* authoriz* | erlaub* zulass* zugelassen gestatte* autoris* permet* permis* permit* autoriz* permess* consent* разреш* dozwol* zezwol* izin* toegestaan سمح* يسمح مسموح 허용* 허가* अनुमति",
        "ban banned bans banning forbid* forbad* prohibit* illegal outlaw* | verbot* verbiet* untersag* interdit interdite interdits interdire prohib* vetad* vieta vietato vietata vietati proib* запрет* запрещ* zakaz* zabron* yasak* verboden حظر* منع* ممنوع 금지* प्रतिबंध* मना",
        &[("允许", "禁止"), ("許可", "禁止"), ("合法", "非法"), ("合法", "違法")],
    ),
    (
        "includ* contain* | einschliess* enthalt* inklusive einschliesslich comprend* compris* inclu* contien* comprend* includ* contem* включа* zawier* dahil inbegrepen يشمل تشمل شامل 포함*",
        "exclud* without except* omit* | ausgeschlossen ausschliess* ohne ausgenommen exclu* sauf hormis excluy* exclui* salvo esclu* tranne excet* исключ* кроме wyklucz* haric uitgezonderd باستثناء يستثني 제외*",
        &[("包括", "不包括"), ("含む", "除く"), ("含み", "除き"), ("包含", "不含")],
    ),
    (
        "won win wins winning winner victor* beat beats defeated | gewann gewannen gewonnen gewinn* siegte siegt gagn* rempor* vainqu* gano ganaron gana ganar ganado vencio vencer vinto vince vincere vitor* победил* выигра* wygra* kazan* gewonnen فاز* فوز 이겼* 승리* 우승* जीत*",
        "lost lose loses losing defeat loser beaten | verlor* verlier* niederlag* perd* defait* perdi* derrot* sconfit* perdeu проигра* поражен* przegra* kaybet* verloren خسر* هزيمة 졌* 패배* 패했* हार*",
        &[
            ("获胜", "失败"),
            ("赢", "输"),
            ("勝利", "敗北"),
            ("勝っ", "敗れ"),
            ("成功", "失败"),
            ("成功", "失敗"),
        ],
    ),
    (
        "before earlier sooner prior | vorher fruher* zuvor avant auparavant antes до раньше przed eerder قبل 전에 पहले",
        "after later | danach spater* apres tard despues luego dopo depois после позже после sonra later بعد 후에 बाद",
        &[("之前", "之后"), ("以前", "以后"), ("前に", "後に"), ("提前", "推迟"), ("早于", "晚于")],
    ),
    (
        "success* succeed* achiev* reached | erfolg* gelungen gelang erreicht* reuss* attein* succes exito exitosa logr* alcanz* cumpl* riusc* raggiun* sucesso consegu* успешн* удал* достиг* sukces* udalo basar* geslaagd نجح* نجاح حقق* 성공* 달성* सफल*",
        "fail* missed misses unsuccessful | gescheitert scheiter* misslung* verfehl* echou* echec manqu* fracas* fallo fallaron incumpl* fallit* mancat* falh* fracass* провал* неудач* niepowodz* basarisiz* mislukt فشل* أخفق* 실패* असफल* विफल*",
        &[("达到", "未达到"), ("完成", "未完成"), ("达成", "未能")],
    ),
    (
        "first | erste* erster primer* перв* pierwsz* ilk eerste أول أولى 첫 पहला पहली",
        "last | letzte* dernier* ultimo ultima ultimos ultimas послед* ostatni* laatste آخر أخير* 마지막 अंतिम आखिरी",
        &[("第一", "最后"), ("首次", "最后"), ("最初", "最後")],
    ),
    (
        "north* | nord* norte setentrional север* polnoc* kuzey* noord* شمال* 북* उत्तर*",
        "south* | sud suden sudlich* sudost* meridional юг* южн* poludni* guney* zuid* جنوب* 남* दक्षिण*",
        &[("北部", "南部"), ("北方", "南方"), ("北側", "南側")],
    ),
    (
        "east eastern | osten ostlich* osten ostlich* oriental orientale oriente leste восто* wschod* dogu* oost* شرق* 동부* पूर्व*",
        "west* | ouest occident* oeste ovest запад* zachod* batisinda غرب* 서부* पश्चिम*",
        &[("东部", "西部"), ("東部", "西部"), ("东方", "西方")],
    ),
    (
        "best strongest highest largest biggest longest maximum greatest richest abundant* | abondant* beste* grosste* hochste* langste* starkste* meilleur* forte fortes eleve* mejor* fuerte* \
         migliore massim* melhor* лучш* наибольш* максим* najlepsz* najwieksz* najwyzsz* grootste hoogste beste أفضل أكبر أعلى 최고* 최대*",
        "worst weakest lowest smallest shortest minimum poorest fewest | schlechtest* kleinste* niedrigste* kurzeste* schwachste* pire* faible* peor* baja debil* \
         peggiore minim* pior* худш* наименьш* миним* najgorsz* najmniejsz* najnizsz* kleinste laagste slechtste أسوأ أصغر أدنى 최악* 최저* 최소*",
        &[
            ("最大", "最小"),
            ("最高", "最低"),
            ("最多", "最少"),
            ("最好", "最差"),
            ("最良", "最悪"),
            ("最强", "最弱"),
        ],
    ),
    (
        "confirm* admit* acknowledg* | bestatig* zugegeben confirm* admis* reconn* confirm* admit* reconoc* conferm* ammess* confirm* reconhec* подтверд* призна* potwierdz* dogrula* bevestigd أكد* اعترف* 확인* 인정* पुष्टि*",
        "deny denies denied denying refut* | dement* bestreit* bestritt* dementier* negato negata desmint* desment* smentit* опроверг* отриц* zaprzecz* yalanla* inkar ontken* نفى* أنكر* ينفي 부인* खंडन*",
        &[("证实", "否认"), ("承认", "否认"), ("認め", "否定"), ("确认", "否认")],
    ),
    (
        "import imports imported importing | einfuhr* importier* importat* importac* импорт* ввоз* ithal* invoer* استيراد* واردات 수입* आयात*",
        "export* | ausfuhr* exportier* exportat* exportac* esporta* экспорт* вывоз* ihrac* uitvoer* تصدير* صادرات 수출* निर्यात*",
        &[("进口", "出口"), ("輸入", "輸出")],
    ),
    (
        "buy buys buying bought purchas* acquir* | kauf* gekauft erwerb* erwarb* achet* acquier* acquis* compro compraron comprar comprado adquir* acquist* купил* покуп* приобр* kupil* kupi* kocht* اشترى شراء 매입* 인수* 구매* ख़रीद*",
        "sell sells selling sold | verkauf* veraussert* vend* vente ventes venta ventas vendi* cedut* продал* прода* sprzeda* satt* satti satildi verkocht* verkoop* باع* بيع 매각* 판매* बेच*",
        &[("购买", "出售"), ("收购", "出售"), ("買収", "売却"), ("購入", "売却")],
    ),
    (
        "profit* surplus | gewinn* uberschuss* benefice* excedent* benefici* ganancia* superavit utile utili profitto lucro* прибыл* профицит* zysk* kar winst* ربح* أرباح فائض 흑자* 이익* लाभ मुनाफ़ा",
        "loss losses lost deficit* | verlust* defizit* perte* deficit* perdida* deficit perdita perdite prejuizo* убыт* дефицит* strat* zarar verlies* خسارة خسائر عجز 적자* 손실* हानि घाटा",
        &[("盈利", "亏损"), ("盈余", "赤字"), ("黒字", "赤字"), ("利益", "損失")],
    ),
    (
        "safe safer harmless | sicher* unbedenklich* inoffensi* sans-danger segur* inocu* sicur* innocu* безопасн* bezpieczn* guvenli veilig* آمن* 안전* सुरक्षित",
        "dangerous unsafe harmful risky toxic | gefahrlich* schadlich* giftig* dangereu* nocif* nociv* toxi* peligros* dañin* pericolos* perigos* опасн* вредн* niebezpieczn* szkodliw* tehlikeli gevaarlijk* خطير* ضار* 위험* 유해* खतरनाक",
        &[("安全", "危险"), ("安全", "危険"), ("无害", "有害"), ("無害", "有害")],
    ),
    (
        "mandatory compulsory required obligatory | obligator* verpflichtend* pflicht* vorgeschrieben obligatoire* obligatori* exigid* requerid* обязательн* obowiazkow* zorunlu verplicht* إلزامي* إجباري* 의무* 필수* अनिवार्य",
        "optional voluntary voluntar* | freiwillig* optional* facultati* volontair* opcional* facoltativ* volontari* добровольн* необязательн* dobrowoln* gonullu vrijwillig* اختياري* طوعي* 선택* 자발* 자율* स्वैच्छिक",
        &[("强制", "自愿"), ("必须", "自愿"), ("義務", "任意"), ("必須", "任意")],
    ),
    (
        "fast faster quick* rapid* | schnell* rapide* rapid* veloc* быстр* szybk* hizli snel* سريع* أسرع 빠르* 빨* तेज़",
        "slow slower slowly | langsam* lent lente lentes lento lenta lentamente медлен* woln* yavas* langzam* بطيء* أبطأ 느리* धीमा धीमी",
        &[("更快", "更慢"), ("速い", "遅い"), ("加快", "放缓"), ("加速", "减速"), ("加速", "減速")],
    ),
    (
        "public | publique publics publiques publico publica state-owned offentlich* staatlich* public publique publics publiques publico publica pubblic* государств* publiczn* kamu openbaar* حكومي* 공공* 국영*",
        "privat* | prive privee prives privado privada частн* prywatn* ozel خاص* 민간* 사립*",
        &[("公立", "私立"), ("国有", "私有"), ("公营", "民营"), ("国営", "民営")],
    ),
    (
        "men male males boys fathers | manner* mannlich* homme* hommes hombre* varones uomini homens мужчин* mezczyzn* erkek* mannen رجال ذكور 남성* 남자* पुरुष*",
        "women female females girls mothers | frauen weiblich* femme* mujer* donne mulheres женщин* kobiet* kadin* vrouwen نساء إناث سيدات 여성* 여자* महिला*",
        &[("男性", "女性"), ("男子", "女子"), ("男", "女")],
    ),
    (
        "hire hires hired hiring recruit* | eingestellt einstell* embauch* recrut* contrat* assun* нанял* zatrudni* aangenomen توظيف 채용* 고용* भर्ती",
        " fired dismiss* layoff* sack* | entlass* licenci* desped* licenz* demit* уволил* уволен* zwolni* ontslag* تسريح فصل 해고* 감원* निकाल*",
        &[("聘用", "解雇"), ("招聘", "裁员"), ("雇用", "解雇"), ("採用", "解雇")],
    ),
    (
        "improv* better | verbesser* besser amelior* mieux mejor* miglior* melhor* улучш* лучше popraw* lepiej iyiles* verbeter* تحسن* أفضل 개선* 향상* सुधार*",
        "worsen* worse deteriorat* | verschlechter* schlechter degrad* pire empeor* peor peggior* pior* ухудш* хуже pogorsz* gorzej kotules* verslechter* تدهور* أسوأ 악화* बिगड़*",
        &[("改善", "恶化"), ("改善", "悪化"), ("好转", "恶化")],
    ),
    (
        "agreement agreed | einig* accord* acuerd* accord* соглас* uzgod* anlas* overeenstemming اتفق* اتفاق 합의* समझौता",
        "disagree* dispute* deadlock | uneinig* desaccord* desacuerd* disaccord* desacord* разноглас* anlasmazlik onenigheid خلاف* 이견* 불일치* असहमति",
        &[("一致", "分歧"), ("合意", "対立")],
    ),
    (
        "temporar* provisional* interim | vorubergehend* befristet* temporaire* provisoire* temporal* provisional* temporane* provvisor* temporari* временн* tymczasow* gecici tijdelijk* مؤقت*",
        "permanent* indefinite* | dauerhaft* unbefristet* definitiv* definitif* permanente* постоянн* stal* kalici blijvend* دائم*",
        &[("临时", "永久"), ("一時的", "恒久的"), ("暂时", "永久")],
    ),
    (
        "present presence | vorhanden* anwesend* presence presente* presenza обнаруж* присутств*",
        "absent absence missing | fehlt fehlen fehlend* abwesend* absence absent* ausente* ausencia assente* assenza отсутств*",
        &[("存在", "缺乏"), ("存在", "缺失")],
    ),
    (
        "majority | mehrheit* majorite* mayoria* maggioranza maioria большинств* wiekszosc* أغلبية 다수",
        "minority | minderheit* minorite* minoria* minoranza меньшинств* mniejszosc* أقلية 소수",
        &[("多数", "少数")],
    ),
    (
        "convict* guilty | verurteilt* schuldig* condamn* coupable* conden* culpable* condann* colpevol* culpad* осужд* виновн* skazan* winn* أدان* مذنب",
        "acquit* innocent cleared | freigesproch* unschuldig* acquitt* innocent* absolv* absuel* inocent* assolt* innocent* absolvid* оправда* невинов* uniewinn* برأ* بريء",
        &[("有罪", "无罪"), ("有罪", "無罪")],
    ),
    (
        "upheld uphold* affirm* | bestatigt* confirm* confirm* поддержал*",
        "overturn* overrul* annull* revers* quash* struck | aufgehoben* annul* anul* revoc* отменил* uchyl*",
        &[("维持", "推翻"), ("維持", "取り消")],
    ),
    (
        "domestic | inland* inlandisch* national* interieur* interno* interior* внутренн* krajow* محلي*",
        "foreign overseas abroad | ausland* auslandisch* etrang* extranjer* estero ester* exterior* estrangeir* иностран* зарубеж* zagranic* أجنبي*",
        &[("国内", "国外"), ("国内", "海外")],
    ),
    (
        "join joined joins joining | beigetreten beitritt* rejoin* adher* ingres* unio aderi* вступил* вступ* przystapi* انضم*",
        "leave leaves left leaving quit withdrew withdraw* depart* | ausgetreten austritt* verliess* verlass* quitt* abandon* salio salir lasciat* deixou saiu покинул* вышел* opuscil* غادر* انسحب*",
        &[("加入", "退出"), ("加盟", "脱退")],
    ),
    (
        "appoint* elected | ernannt* gewahlt* nomm* elu elue design* nombr* elegid* nominat* elett* nomead* eleit* назнач* избран* mianowan* wybran* عين* انتخب*",
        "resign* dismissed ousted removed | zuruckgetreten rucktritt* entlassen* demission* limog* dimit* dimission* demiti* renunci* отстав* уволен* rezygn* odwolan* استقال* أقيل*",
        &[("任命", "辞职"), ("就任", "辞任"), ("当选", "落选")],
    ),
    (
        "early earlier | fruh* precoce* tempran* precoz* preco* ранн* wczesn* مبكر*",
        "late later delay* | verspat* spat* retard* tard* demor* ritard* tardiv* atras* поздн* задерж* opozn* متأخر* تأخر*",
        &[("提前", "延误"), ("提前", "推迟"), ("早い", "遅い"), ("前倒し", "延期")],
    ),
    (
        "strong* | stark* fort forte forts fuerte* forte* сильн* siln* قوي*",
        "weak* | schwach* faibl* debil* debol* frac* слаб* slab* ضعيف*",
        &[("强劲", "疲软"), ("强烈", "微弱"), ("強い", "弱い")],
    ),
    (
        "warm warmer hot hotter | heiss* warm* chaud* calient* calid* caldo calda quente* тепл* жарк* ciepl* gorac* حار*",
        "cold colder cool cooler | kalt* kuhl* froid* frio fria fredd* холодн* zimn* بارد*",
        &[("炎热", "寒冷"), ("高温", "低温"), ("暑い", "寒い")],
    ),
    (
        "wet wetter rainy humid* | nass* feucht* humid* humed* umid* влажн* wilgotn* رطب*",
        "dry drier arid | trocken* sec seche sec* aride* seco seca secc* arid* secc* сух* such* جاف*",
        &[("潮湿", "干燥"), ("湿った", "乾いた")],
    ),
    (
        "inside within indoor* | innerhalb innen* interieur dentro interior внутри wewnatrz داخل",
        "outside outdoor* | ausserhalb aussen* exterieur fuera exterior fuori снаружи poza خارج",
        &[("室内", "室外"), ("屋内", "屋外"), ("境内", "境外")],
    ),
    (
        "free | kostenlos* gratis gratuit* gratuito* gratuita gratuiti бесплатн* bezplatn* ucretsiz مجاني* 무료*",
        "paid charge charges fee fees | kostenpflichtig* gebuhr* payant* pago pagan tarifa* pagament* taxa* платн* platn* ucretli رسوم 유료*",
        &[("免费", "收费"), ("無料", "有料")],
    ),
    (
        "positive | positiv* positif* positivo* positiva* положительн* pozytywn* إيجابي* 긍정*",
        "negative | negativ* negatif* negativo* negativa* отрицательн* negatywn* سلبي* 부정*",
        &[("阳性", "阴性"), ("陽性", "陰性"), ("正面", "负面"), ("积极", "消极")],
    ),
    (
        "send sends sent sending sold gave give gives given donat* | gesendet geschickt gab gegeben envoy* donne* envio envia* dio dieron donat* inviat* enviou отправил* дал* wyslal* أرسل* منح*",
        "receiv* got obtain* | erhielt* erhalten bekam* recu* recib* ricev* ricevut* receb* получил* otrzymal* تلقى* حصل*",
        &[("发送", "收到"), ("贈", "受け取")],
    ),
    (
        "born | geboren* nee nees naci* nat nata nascid* родил* urodz* ولد*",
        "died die dies dead death killed | gestorben* starb* tod tot mort* decede* mori* muer* muert* mort* morreu умер* погиб* zmarl* توفي* قتل*",
        &[("出生", "去世"), ("生まれ", "亡くな")],
    ),
    (
        "married marry marries wed | heirat* geheirat* verheirat* mari* epous* cas* sposat* casou женил* замуж* slub* تزوج*",
        "divorc* separated | geschied* scheidung* divorc* separ* divorzi* развел* rozwod* rozwied* طلق*",
        &[("结婚", "离婚"), ("結婚", "離婚")],
    ),
    (
        "arriv* | ankam* angekommen* ankunft* arriv* llegad* llego llegaron arrivat* chegou chegad* прибыл* przyby* وصل*",
        "depart* | abfahr* abgefahren* abreis* partir* parti partie salida* salio partit* partiu отбыл* отправил* odjech* غادر*",
        &[("到达", "离开"), ("到着", "出発")],
    ),
    (
        "urban | stadtisch* urbain* urbano* urbana* городск* miejsk* حضري*",
        "rural | landlich* rural* rurale* сельск* wiejsk* ريفي*",
        &[("城市", "农村"), ("都市", "農村"), ("城镇", "乡村")],
    ),
    (
        "new newly | neu neue neuen neuer neues nouveau* nouvelle* nuevo* nueva* nuovo nuova nuovi novo nova нов* nowy nowa nowe yeni nieuw* جديد* 새로* 신규*",
        "old older former | alt alte alten alter ancien* vieux vieil* viejo* antigu* vecchi* antic* velho* antig* стар* прежн* stary stara stare eski oud* قديم* 옛* 기존*",
        &[("新建", "旧"), ("新型", "旧"), ("新しい", "古い")],
    ),
    (
        "upper top | oberen obere* superieur* superior* superiore верхн* gorn* علوي*",
        "bottom | unteren untere* inferieur* inferior* inferiore нижн* doln* سفلي*",
        &[("上游", "下游"), ("上流", "下流"), ("上层", "下层")],
    ),
    ("upstream | flussaufwarts amont", "downstream | flussabwarts aval", &[("上游", "下游")]),
    (
        "attack* | angriff* angegriff* attaqu* atac* attacc* атак* zaatak* هاجم*",
        "defend* | verteidig* defend* difes* defes* защит* obron* دافع*",
        &[("攻击", "防御"), ("攻撃", "防御")],
    ),
    (
        "lend lends lent lending | verleih* verlieh* pret* prest* prestat* emprest*",
        "borrow* | leih* ausgelieh* geliehen emprunt* pide pidio tomo",
        &[("借出", "借入")],
    ),
    (
        "full fully complete completed | vollstandig* komplett* fertig* complet* entier* termine* complet* terminad* completat* complet* concluid* полн* заверш* peln* ukoncz* كامل* مكتمل* 완공* 완료*",
        "partial* partly incomplete unfinished | teilweise unvollendet* unfertig* partiel* inacheve* parcial* inacabad* inconclus* parzial* incompiut* incomplet* частичн* незаверш* czesciow* niedokoncz* جزئي* 미완*",
        &[("全部", "部分"), ("完成", "未完成"), ("完成", "未完")],
    ),
    (
        "advanc* | vorruck* vorgeruckt* avanc* avanz* avanç* наступ* продвин* تقدم*",
        "retreat* reced* | zuruckgewich* zuruckgezogen* reculé reculer retroced* retirad* arretr* recuou отступ* تراجع*",
        &[("前进", "后退"), ("前進", "後退")],
    ),
    (
        "unchanged steady stable constant flat | unverandert* stabil gleichgeblieben inchange* stable stables estable* sin-cambios invariat* stabile estavel неизмен* стабильн* bez-zmian مستقر*",
        "rose fell cut cuts raised increased decreased dropped grew shrank declined climbed | stieg* sank* gekurzt* kurzt* erhoht* gesunken gestiegen augment* baiss* diminu* subio bajo recort* aumento ridott* cortou aument* сократ* вырос* снизи*",
        &[("持平", "增长"), ("持平", "下降"), ("横ばい", "増加"), ("横ばい", "減少")],
    ),
    (
        "youngest | jungste* cadet cadette benjamin* menor menores cacula najmlodsz* младш*",
        "eldest oldest firstborn | alteste* aine ainee mayor mayores primogenit* najstarsz* старш*",
        &[("最年少", "最年長"), ("最年轻", "最年长")],
    ),
];
