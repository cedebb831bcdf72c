//! English words that pages use whatever they are about. That one of them is missing says little.
//!
//! Words that occur on at least a quarter, and on at least a tenth, of the articles of WiCE's development
//! half.

use std::sync::LazyLock;

use crate::{word_table::WordTable, words::stem};

const ON_A_QUARTER: &str = "against always american among around august author back based become best big business came city \
    comments content country data day don early email end even ever experience family find first five \
    former found four free full get going good great group help high history home including information \
    know known last later latest left life like little live long look made main make making man many \
    media meta much name national need new news next now number old part past people place play post \
    public published publisher put read real really related right said school search second see service \
    set show sign site skip still story take team things think three time times title today top two \
    video view want way week well won work world year years young";

const ON_A_TENTH: &str = "able above access according account across act action active actually added addition address age ago \
    air album allow almost along already although america angeles announced annual anyone anything \
    appeared april archive area areas art article articles artist artists arts asked association attempt \
    attention audience aug australia available award awards away bad band bank battle became began \
    beginning behind believe below better beyond biggest bill bit black blog blue board body book books \
    born breaking bring british broken building built buy california call called campaign canada capture \
    captures car care career case cast center centre century chance change changed check chief children \
    china class classic click close club collected collection college comes coming comment common \
    community companies company competition complete conference considered contact continue continued \
    continues control council countries couple course court cover create created credit culture current \
    currently daily date days deal death debut decade decades december decided decision department \
    design despite details development didn died different digital director doesn done dream due earlier \
    east edition editor education effort eight either else ended england english enough enter \
    entertainment environment especially established europe event events eventually everyone everything \
    example executive expected face fact fall famous fans far father feature featured features february \
    feel felt festival field film films final finally financial focus follow following food force form \
    forward foundation french friday friend friends front future game games gave general generation \
    getting girl give given gives giving global goal goes gone got government green grew groups growing \
    guide half hall hand hands happy hard head health heard heart held helped himself hit hope hopes \
    hour hours house however huge human idea image images impact important improve include included \
    includes industry inside instead institute intended interest interested interesting international \
    internet interview involved island isn issue issues itself january job join joined july june keep \
    key kids kind king knew large late law laws lead leader leaders leadership leading league learn \
    learned least leave led less let level light likely limited line link links list lives living local \
    log london longer looking lost lot love low lower machine magazine mail major makes management march \
    mark market material matter mean means meet meeting member members men message middle million mind \
    minute minutes modern moment monday money month months morning mostly mother move moved movie museum \
    music named nation near nearly needed needs network newsletter night nine non north nov november oct \
    october office officer official often online open opened opening opportunity order org organization \
    original originally others outside page pages park party pay percent performance perhaps period \
    person personal photo photos pictures plan plans played player players playing please point police \
    policy political politics pop popular position possible posted posts power present president press \
    pretty previous previously print privacy private probably problem problems process produced producer \
    production profile program project projects provide quite race radio range rather reading ready \
    reality reason receive received recent recently record records red relationship release released \
    remember report reports required research result results return review rights road rock role room \
    run running san saturday save saw saying says scene science season section security seems seen self \
    send senior sense sent september series served services seven several share short shot shows side \
    signed similar singer single sites six small social society someone something sometimes song soon \
    sound south southern space special spent sports staff stage stand star stars start started starting \
    state statement states stay stop stories street strong studio study style subject subscribe success \
    successful summer sun sunday support supported sure system taken takes taking talk talks teams \
    technology television tell term terms thanks themselves thing third though thought throughout \
    together told took total tour town track training travel true trust try trying turn turned twitter \
    united university updated upon usa used using version via visit wanted washington wasn watch ways \
    web website weeks went west whether white whole wife win winning within woman women words worked \
    working works write writer writing written wrote yet york";

/// The remaining share of a word's weight if it occurs on a quarter of all pages, and on a tenth.
const QUARTER_WEIGHT: f32 = 0.4;
const TENTH_WEIGHT: f32 = 0.65;

static FACTORS: LazyLock<WordTable<f32>> = LazyLock::new(|| {
    let tenth = ON_A_TENTH.split_ascii_whitespace().map(|word| (stem(word), TENTH_WEIGHT));
    let quarter = ON_A_QUARTER.split_ascii_whitespace().map(|word| (stem(word), QUARTER_WEIGHT));
    tenth.chain(quarter).collect()
});

/// How much of its weight a word with this stem keeps.
pub(super) fn factor(stem: &str) -> f32 {
    FACTORS.get(stem).copied().unwrap_or(1.0)
}
