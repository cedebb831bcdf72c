//! Remarks on how a report came about, in each language but English, whose sentences stand where they are said.

use super::notices::{self, NoticePhrases};

/// Whole sentences; a number stands behind its word as `{n}`, so that no language needs its plurals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemarkPhrases {
    pub parts_quoted: &'static str,
    /// Sentences whose figures or names stand in no quotation.
    pub left_out: &'static str,
    pub replaced: &'static str,
    pub no_conclusions: &'static str,
    pub divided_by_rule: &'static str,
    /// Pages of which a model returned words that are not there.
    pub read_by_rule: &'static str,
    /// After the check, with `{removed}`, `{quoted}` and `{rebound}`.
    pub changed: &'static str,
    /// Two sites, `{a}` and `{b}`, with the same text and other numbers.
    pub altered: &'static str,
    pub altered_more: &'static str,
    /// With `{site}`.
    pub talks_to_machines: &'static str,
    /// With `{n}`, `{m}` and `{first}`.
    pub searches_failed: &'static str,
    pub engines_silent: &'static str,
    pub notices: &'static NoticePhrases,
}

pub(super) const GERMAN: RemarkPhrases = RemarkPhrases {
    parts_quoted: "Teile, die das Modell nicht schreiben konnte und die stattdessen zitiert sind: {n}.",
    left_out: "Beim Schreiben weggelassene Sätze, deren Zahlen oder Namen in keinem Zitat stehen: {n}.",
    replaced: "Beim Schreiben durch ein Zitat ersetzte Sätze, deren Zahlen oder Namen in keinem Zitat stehen: {n}.",
    no_conclusions: "Der Teil mit den Schlussfolgerungen konnte nicht geschrieben werden.",
    divided_by_rule: "Die Frage wurde nach Regeln aufgeteilt, nicht vom Modell.",
    read_by_rule: "Seiten, zu denen das lesende Modell meist Wörter lieferte, die dort nicht stehen, und die deshalb nach Regeln gelesen wurden: {n}.",
    changed: "Nach der Prüfung: entfernte Sätze, die ihre Quellen nicht tragen: {removed}; durch ihr Zitat ersetzt: {quoted}; mit anderer Quelle: {rebound}.",
    altered: "{a} und {b} enthalten fast denselben Text mit anderen Zahlen: Einer davon ist falsch, oder es geht um Verschiedenes.",
    altered_more: "Dasselbe gilt für weitere Paare von Seiten: {n}.",
    talks_to_machines: "Eine Seite von {site} enthält Text, der sich an Maschinen richtet oder vor Lesern verborgen ist; sie wurde nur zitiert.",
    searches_failed: "Fehlgeschlagene Suchen: {n} von {m} (zuerst: {first}).",
    engines_silent: "Maschinen hinter dem Suchanbieter, die nicht geantwortet haben: {n}.",
    notices: &notices::GERMAN,
};

pub(super) const FRENCH: RemarkPhrases = RemarkPhrases {
    parts_quoted: "Parties que le modèle n'a pas pu rédiger et qui sont citées à la place : {n}.",
    left_out: "Phrases omises à la rédaction, dont les chiffres ou les noms ne figurent dans aucune citation : {n}.",
    replaced: "Phrases remplacées par une citation à la rédaction, dont les chiffres ou les noms ne figurent dans aucune citation : {n}.",
    no_conclusions: "La partie qui tire les conclusions n'a pas pu être rédigée.",
    divided_by_rule: "La question a été divisée selon une règle, non par le modèle.",
    read_by_rule: "Pages dont le modèle lecteur a surtout rendu des mots qui n'y figurent pas, et qui ont été lues selon une règle : {n}.",
    changed: "Après la vérification : phrases supprimées, non étayées par leurs sources : {removed} ; remplacées par leur citation : {quoted} ; avec une autre source : {rebound}.",
    altered: "{a} et {b} contiennent presque le même texte avec d'autres chiffres : l'un des deux est faux, ou il s'agit de choses différentes.",
    altered_more: "Il en va de même pour d'autres paires de pages : {n}.",
    talks_to_machines: "Une page de {site} contient du texte qui s'adresse à des machines ou se cache des lecteurs ; elle a seulement été citée.",
    searches_failed: "Recherches échouées : {n} sur {m} (la première : {first}).",
    engines_silent: "Moteurs derrière le fournisseur de recherche qui n'ont pas répondu : {n}.",
    notices: &notices::FRENCH,
};

pub(super) const SPANISH: RemarkPhrases = RemarkPhrases {
    parts_quoted: "Partes que el modelo no pudo redactar y que se citan en su lugar: {n}.",
    left_out: "Frases omitidas al redactar, cuyas cifras o nombres no figuran en ninguna cita: {n}.",
    replaced: "Frases sustituidas por una cita al redactar, cuyas cifras o nombres no figuran en ninguna cita: {n}.",
    no_conclusions: "No se pudo redactar la parte que saca conclusiones.",
    divided_by_rule: "La pregunta se dividió según una regla, no por el modelo.",
    read_by_rule: "Páginas de las que el modelo lector devolvió sobre todo palabras que no están en ellas y que se leyeron según una regla: {n}.",
    changed: "Tras la comprobación: frases eliminadas por no estar respaldadas por sus fuentes: {removed}; sustituidas por su cita: {quoted}; con otra fuente: {rebound}.",
    altered: "{a} y {b} contienen casi el mismo texto con otras cifras: una de ellas está equivocada o tratan de cosas distintas.",
    altered_more: "Lo mismo vale para otros pares de páginas: {n}.",
    talks_to_machines: "Una página de {site} contiene texto que se dirige a máquinas o se oculta a los lectores; solo se ha citado.",
    searches_failed: "Búsquedas fallidas: {n} de {m} (la primera: {first}).",
    engines_silent: "Motores del proveedor de búsqueda que no respondieron: {n}.",
    notices: &notices::SPANISH,
};

pub(super) const ITALIAN: RemarkPhrases = RemarkPhrases {
    parts_quoted: "Parti che il modello non ha potuto scrivere e che sono citate al loro posto: {n}.",
    left_out: "Frasi omesse durante la scrittura, le cui cifre o i cui nomi non compaiono in alcuna citazione: {n}.",
    replaced: "Frasi sostituite da una citazione durante la scrittura, le cui cifre o i cui nomi non compaiono in alcuna citazione: {n}.",
    no_conclusions: "Non è stato possibile scrivere la parte che trae le conclusioni.",
    divided_by_rule: "La domanda è stata suddivisa secondo una regola, non dal modello.",
    read_by_rule: "Pagine di cui il modello lettore ha restituito soprattutto parole che non vi si trovano e che sono state lette secondo una regola: {n}.",
    changed: "Dopo la verifica: frasi eliminate perché non sostenute dalle loro fonti: {removed}; sostituite dalla loro citazione: {quoted}; con un'altra fonte: {rebound}.",
    altered: "{a} e {b} contengono quasi lo stesso testo con altre cifre: uno dei due è sbagliato, oppure trattano di cose diverse.",
    altered_more: "Lo stesso vale per altre coppie di pagine: {n}.",
    talks_to_machines: "Una pagina di {site} contiene testo che si rivolge alle macchine o si nasconde ai lettori; è stata solo citata.",
    searches_failed: "Ricerche non riuscite: {n} su {m} (la prima: {first}).",
    engines_silent: "Motori dietro il fornitore di ricerca che non hanno risposto: {n}.",
    notices: &notices::ITALIAN,
};

pub(super) const PORTUGUESE: RemarkPhrases = RemarkPhrases {
    parts_quoted: "Partes que o modelo não conseguiu redigir e que são citadas em seu lugar: {n}.",
    left_out: "Frases omitidas na redação, cujos números ou nomes não constam de nenhuma citação: {n}.",
    replaced: "Frases substituídas por uma citação na redação, cujos números ou nomes não constam de nenhuma citação: {n}.",
    no_conclusions: "Não foi possível redigir a parte que tira conclusões.",
    divided_by_rule: "A pergunta foi dividida segundo uma regra, não pelo modelo.",
    read_by_rule: "Páginas das quais o modelo leitor devolveu sobretudo palavras que não estão nelas e que foram lidas segundo uma regra: {n}.",
    changed: "Após a verificação: frases removidas por não serem sustentadas pelas suas fontes: {removed}; substituídas pela sua citação: {quoted}; com outra fonte: {rebound}.",
    altered: "{a} e {b} contêm quase o mesmo texto com outros números: um deles está errado, ou tratam de coisas diferentes.",
    altered_more: "O mesmo vale para outros pares de páginas: {n}.",
    talks_to_machines: "Uma página de {site} contém texto que se dirige a máquinas ou se esconde dos leitores; foi apenas citada.",
    searches_failed: "Pesquisas com falha: {n} de {m} (a primeira: {first}).",
    engines_silent: "Motores por trás do fornecedor de pesquisa que não responderam: {n}.",
    notices: &notices::PORTUGUESE,
};

pub(super) const DUTCH: RemarkPhrases = RemarkPhrases {
    parts_quoted: "Delen die het model niet kon schrijven en die in plaats daarvan zijn geciteerd: {n}.",
    left_out: "Bij het schrijven weggelaten zinnen waarvan de cijfers of namen in geen enkel citaat staan: {n}.",
    replaced: "Bij het schrijven door een citaat vervangen zinnen waarvan de cijfers of namen in geen enkel citaat staan: {n}.",
    no_conclusions: "Het deel met de conclusies kon niet worden geschreven.",
    divided_by_rule: "De vraag is volgens een regel opgedeeld, niet door het model.",
    read_by_rule: "Pagina's waarvan het lezende model vooral woorden gaf die er niet staan en die daarom volgens een regel zijn gelezen: {n}.",
    changed: "Na de controle: verwijderde zinnen die niet door hun bronnen worden gedragen: {removed}; vervangen door hun citaat: {quoted}; met een andere bron: {rebound}.",
    altered: "{a} en {b} bevatten bijna dezelfde tekst met andere cijfers: een van beide is fout, of ze gaan over verschillende dingen.",
    altered_more: "Hetzelfde geldt voor andere paren pagina's: {n}.",
    talks_to_machines: "Een pagina van {site} bevat tekst die zich tot machines richt of voor lezers verborgen is; ze is alleen geciteerd.",
    searches_failed: "Mislukte zoekopdrachten: {n} van {m} (de eerste: {first}).",
    engines_silent: "Zoekmachines achter de zoekaanbieder die niet antwoordden: {n}.",
    notices: &notices::DUTCH,
};

pub(super) const POLISH: RemarkPhrases = RemarkPhrases {
    parts_quoted: "Części, których model nie zdołał napisać i które zamiast tego zacytowano: {n}.",
    left_out: "Zdania pominięte przy pisaniu, których liczb lub nazw nie ma w żadnym cytacie: {n}.",
    replaced: "Zdania zastąpione cytatem przy pisaniu, których liczb lub nazw nie ma w żadnym cytacie: {n}.",
    no_conclusions: "Nie udało się napisać części z wnioskami.",
    divided_by_rule: "Pytanie podzielono według reguły, a nie przez model.",
    read_by_rule: "Strony, dla których model czytający zwrócił głównie słowa, których tam nie ma, i które odczytano według reguły: {n}.",
    changed: "Po sprawdzeniu: usunięte zdania niepotwierdzone przez źródła: {removed}; zastąpione cytatem: {quoted}; z innym źródłem: {rebound}.",
    altered: "{a} i {b} zawierają prawie ten sam tekst z innymi liczbami: jedna z nich się myli albo dotyczą różnych rzeczy.",
    altered_more: "To samo dotyczy kolejnych par stron: {n}.",
    talks_to_machines: "Strona w {site} zawiera tekst skierowany do maszyn lub ukryty przed czytelnikami; została tylko zacytowana.",
    searches_failed: "Nieudane wyszukiwania: {n} z {m} (pierwsze: {first}).",
    engines_silent: "Wyszukiwarki dostawcy, które nie odpowiedziały: {n}.",
    notices: &notices::POLISH,
};

pub(super) const RUSSIAN: RemarkPhrases = RemarkPhrases {
    parts_quoted: "Части, которые модель не смогла написать и которые приведены в виде цитат: {n}.",
    left_out: "Предложения, опущенные при написании, так как их чисел или имён нет ни в одной цитате: {n}.",
    replaced: "Предложения, заменённые цитатой при написании, так как их чисел или имён нет ни в одной цитате: {n}.",
    no_conclusions: "Часть с выводами написать не удалось.",
    divided_by_rule: "Вопрос разделён по правилу, а не моделью.",
    read_by_rule: "Страницы, для которых читающая модель вернула в основном слова, которых там нет, и которые прочитаны по правилу: {n}.",
    changed: "После проверки: удалено предложений, не подтверждённых источниками: {removed}; заменено цитатами: {quoted}; получили другой источник: {rebound}.",
    altered: "{a} и {b} содержат почти один и тот же текст с другими числами: один из них ошибочен, или речь идёт о разном.",
    altered_more: "То же относится к другим парам страниц: {n}.",
    talks_to_machines: "Страница {site} содержит текст, обращённый к машинам или скрытый от читателей; она только процитирована.",
    searches_failed: "Неудачных поисков: {n} из {m} (первый: {first}).",
    engines_silent: "Поисковые системы провайдера, которые не ответили: {n}.",
    notices: &notices::RUSSIAN,
};

pub(super) const CHINESE: RemarkPhrases = RemarkPhrases {
    parts_quoted: "模型未能撰写、改为引用的部分：{n}。",
    left_out: "撰写时因数字或名称不见于任何引文而略去的句子：{n}。",
    replaced: "撰写时因数字或名称不见于任何引文而改用引文的句子：{n}。",
    no_conclusions: "得出结论的部分未能写成。",
    divided_by_rule: "问题是按规则划分的，而非由模型划分。",
    read_by_rule: "阅读模型返回的内容大多不在页面上、因而改按规则读取的页面：{n}。",
    changed: "核查之后：因来源不支持而删除的句子：{removed}；以引文替换：{quoted}；更换来源：{rebound}。",
    altered: "{a} 与 {b} 的文字几乎相同而数字不同：其中之一有误，或者所述并非同一事物。",
    altered_more: "另有同样情况的页面对：{n}。",
    talks_to_machines: "{site} 的一个页面含有针对机器或对读者隐藏的文字；仅作引用。",
    searches_failed: "失败的检索：{m} 次中的 {n} 次（首个：{first}）。",
    engines_silent: "搜索服务背后未作答复的引擎：{n}。",
    notices: &notices::CHINESE,
};

pub(super) const JAPANESE: RemarkPhrases = RemarkPhrases {
    parts_quoted: "モデルが書けず、代わりに引用した部分：{n}。",
    left_out: "数字や名称がどの引用にもないため、執筆時に省いた文：{n}。",
    replaced: "数字や名称がどの引用にもないため、執筆時に引用に置き換えた文：{n}。",
    no_conclusions: "結論を導く部分は書けませんでした。",
    divided_by_rule: "質問はモデルではなく規則によって分けられました。",
    read_by_rule: "読み取りモデルがページにない言葉を多く返したため、規則で読み取ったページ：{n}。",
    changed: "確認の後：情報源が裏づけないため削除した文：{removed}、引用に置き換えた文：{quoted}、情報源を替えた文：{rebound}。",
    altered: "{a} と {b} はほぼ同じ文章で数字だけが異なります。どちらかが誤っているか、別のものについて述べています。",
    altered_more: "同様のページの組がほかにもあります：{n}。",
    talks_to_machines: "{site} のページには機械に向けた文、または読者から隠された文があるため、引用のみにとどめました。",
    searches_failed: "失敗した検索：{m}件中{n}件（最初：{first}）。",
    engines_silent: "検索提供元の背後で応答しなかったエンジン：{n}。",
    notices: &notices::JAPANESE,
};

pub(super) const KOREAN: RemarkPhrases = RemarkPhrases {
    parts_quoted: "모델이 쓰지 못해 대신 인용한 부분: {n}.",
    left_out: "숫자나 이름이 어떤 인용문에도 없어 작성 중에 뺀 문장: {n}.",
    replaced: "숫자나 이름이 어떤 인용문에도 없어 작성 중에 인용문으로 바꾼 문장: {n}.",
    no_conclusions: "결론을 내리는 부분은 작성하지 못했습니다.",
    divided_by_rule: "질문은 모델이 아니라 규칙에 따라 나누었습니다.",
    read_by_rule: "읽기 모델이 페이지에 없는 말을 주로 돌려주어 규칙에 따라 읽은 페이지: {n}.",
    changed: "확인 후: 출처가 뒷받침하지 않아 삭제한 문장: {removed}; 인용문으로 바꾼 문장: {quoted}; 다른 출처를 단 문장: {rebound}.",
    altered: "{a}와(과) {b}는 거의 같은 글에 숫자만 다릅니다. 둘 중 하나가 틀렸거나 서로 다른 것에 관한 글입니다.",
    altered_more: "같은 경우의 다른 페이지 쌍: {n}.",
    talks_to_machines: "{site}의 한 페이지에 기계를 향하거나 독자에게 숨겨진 글이 있어 인용만 했습니다.",
    searches_failed: "실패한 검색: {m}건 중 {n}건(첫 번째: {first}).",
    engines_silent: "검색 제공자 뒤에서 응답하지 않은 엔진: {n}.",
    notices: &notices::KOREAN,
};

pub(super) const ARABIC: RemarkPhrases = RemarkPhrases {
    parts_quoted: "أجزاء لم يتمكن النموذج من كتابتها فاقتُبست بدلًا من ذلك: {n}.",
    left_out: "جمل حُذفت أثناء الكتابة لأن أرقامها أو أسماءها لا ترد في أي اقتباس: {n}.",
    replaced: "جمل استُبدلت باقتباس أثناء الكتابة لأن أرقامها أو أسماءها لا ترد في أي اقتباس: {n}.",
    no_conclusions: "تعذّرت كتابة الجزء الذي يستخلص النتائج.",
    divided_by_rule: "قُسّم السؤال وفق قاعدة، لا بواسطة النموذج.",
    read_by_rule: "صفحات أعاد النموذج القارئ منها كلمات لا ترد فيها غالبًا، فقُرئت وفق قاعدة: {n}.",
    changed: "بعد التحقق: جمل حُذفت لأن مصادرها لا تدعمها: {removed}؛ استُبدلت باقتباسها: {quoted}؛ أُسندت إلى مصدر آخر: {rebound}.",
    altered: "يحمل {a} و{b} النص نفسه تقريبًا بأرقام مختلفة: أحدهما خاطئ، أو يتناولان أمرين مختلفين.",
    altered_more: "ينطبق الأمر نفسه على أزواج أخرى من الصفحات: {n}.",
    talks_to_machines: "تحتوي صفحة من {site} على نص موجّه إلى الآلات أو مخفي عن القراء؛ وقد اقتُبست فقط.",
    searches_failed: "عمليات بحث فاشلة: {n} من {m} (أولها: {first}).",
    engines_silent: "محركات خلف مزوّد البحث لم تُجب: {n}.",
    notices: &notices::ARABIC,
};
