//! Over all planted reports: every sentence has a verdict, and what stands behind `supported` and `quoted` stands in
//! the stored pages.

use super::{
    planted_faults::CountShare,
    planted_runs::{PlantedRunRoute, runs},
    test_bed::JudgeSetup,
};
use crate::{
    figure::{Figure, MeasurementSize},
    output,
};

const VERDICTS: &str = "sentences of checked reports that have a verdict";
const PLACES: &str = "words behind supported and quoted that stand literally in the stored page";

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let runs = match runs(size)? {
        Ok(runs) => runs,
        Err(why) => {
            return Ok(vec![
                Figure::skipped(VERDICTS, "100 %", &why),
                Figure::skipped(PLACES, "100 %", &why),
            ]);
        }
    };
    let behind = &runs.behind;
    behind.missing.iter().for_each(|missing| output::progress(missing));
    let with = CountShare { part: behind.sentences - behind.without_verdict, whole: behind.sentences };
    let stands = CountShare { part: behind.places - behind.missing.len(), whole: behind.places };
    let engines: Vec<&str> = PlantedRunRoute::ALL
        .into_iter()
        .filter(|way| runs.fates.iter().any(|(of, _, _)| of == way))
        .map(PlantedRunRoute::words)
        .collect();
    let judged = runs.fates.iter().filter(|(_, judge, _)| *judge == JudgeSetup::Simulated).count();
    Ok(vec![
        Figure::judged(VERDICTS, with.whole > 0 && with.part == with.whole, with.summary(), "100 %")
            .with_note(format!("{} checks of reports through {}", runs.reports, engines.join(", "))),
        Figure::judged(
            PLACES,
            behind.supported > 0 && behind.quoted > 0 && behind.missing.is_empty(),
            stands.summary(),
            "100 %",
        )
        .with_note(format!(
            "{} claims supported, {} quoted, and every passage that a judge was shown, compared with the stored \
             extracts; {judged} planted sentences had a judge",
            behind.supported, behind.quoted
        )),
    ])
}
